# Deployments stay on one cluster by its name, whatever becomes of the fleet.
package kubernetes.placement

placement := {"clusters": {"c00": {"weight": 1}}, "rebalance": true} if input.kind == "Deployment"
