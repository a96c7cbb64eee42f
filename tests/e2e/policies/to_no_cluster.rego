# What names a zone goes nowhere.
package kubernetes.placement

placement := {"clusters": {}, "rebalance": true} if input.metadata.labels.zone
