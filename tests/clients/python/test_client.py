"""What a program written with the Python client does: watch, apply, lead, define a kind of its own.

Run by tests/e2e/clients/python.rs against one API server, named by KUBECONFIG:

    python3 -m unittest test_client            everything but restarts
    python3 -m unittest restart                prints `restart` and waits for a line when the server is to be restarted
"""

import json
import threading
import time
import unittest
import uuid

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

DEADLINE = 60


def eventually(what, condition):
    """Waits until the condition is true."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE} s: {what}")
        time.sleep(0.05)


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data=data)


class InNamespace(unittest.TestCase):
    """Each test in a namespace of its own."""

    def setUp(self):
        config.load_kube_config()
        self.core = client.CoreV1Api()
        self.namespace = f"python-{uuid.uuid4().hex[:8]}"
        self.core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=self.namespace)))

    def create(self, name, **data):
        return self.core.create_namespaced_config_map(self.namespace, config_map(name, **data))

    def delete(self, name):
        self.core.delete_namespaced_config_map(name, self.namespace)


class Writing(InNamespace):
    def test_every_verb_on_a_typed_object(self):
        created = self.create("a", x="1")
        self.assertTrue(created.metadata.uid)
        created.data["y"] = "2"
        replaced = self.core.replace_namespaced_config_map("a", self.namespace, created)
        self.assertEqual(replaced.data, {"x": "1", "y": "2"})
        with self.assertRaises(ApiException) as stale:
            self.core.replace_namespaced_config_map("a", self.namespace, created)
        self.assertEqual((stale.exception.status, stale.exception.reason), (409, "Conflict"))
        # A typed model is patched strategically.
        patched = self.core.patch_namespaced_config_map("a", self.namespace, {"data": {"x": None, "z": "3"}})
        self.assertEqual(patched.data, {"y": "2", "z": "3"})
        self.delete("a")
        with self.assertRaises(ApiException) as gone:
            self.core.read_namespaced_config_map("a", self.namespace)
        self.assertEqual(gone.exception.status, 404)

    def test_a_long_list_comes_in_pages(self):
        for number in range(7):
            self.create(f"page-{number}")
        names, token = [], None
        while True:
            page = self.core.list_namespaced_config_map(self.namespace, limit=3, _continue=token)
            names += [item.metadata.name for item in page.items]
            token = page.metadata._continue
            if not token:
                break
        self.assertEqual([name for name in names if name.startswith("page-")], [f"page-{number}" for number in range(7)])

    def test_a_workload_with_all_its_parts(self):
        container = client.V1Container(name="main", image="registry.example/shop:1", env=[client.V1EnvVar(name="A", value="1")])
        labels = {"app": "shop"}
        template = client.V1PodTemplateSpec(
            metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
        )
        spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)
        apps = client.AppsV1Api()
        body = client.V1Deployment(metadata=client.V1ObjectMeta(name="shop"), spec=spec)
        apps.create_namespaced_deployment(self.namespace, body)
        patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "registry.example/shop:2"}]}}}}
        patched = apps.patch_namespaced_deployment("shop", self.namespace, patch)
        [container] = patched.spec.template.spec.containers
        self.assertEqual((container.image, container.env[0].name), ("registry.example/shop:2", "A"))
        scale = apps.patch_namespaced_deployment_scale("shop", self.namespace, {"spec": {"replicas": 5}})
        self.assertEqual(scale.spec.replicas, 5)


class Watching(InNamespace):
    def test_changes_come_in_order(self):
        version = self.core.list_namespaced_config_map(self.namespace).metadata.resource_version
        self.create("a", x="1")
        self.core.patch_namespaced_config_map("a", self.namespace, {"data": {"x": "2"}})
        self.delete("a")
        seen = []
        events = watch.Watch().stream(
            self.core.list_namespaced_config_map, self.namespace, resource_version=version, timeout_seconds=30
        )
        for event in events:
            seen.append((event["type"], event["object"].metadata.name, event["object"].data["x"]))
            if len(seen) == 3:
                break
        self.assertEqual(seen, [("ADDED", "a", "1"), ("MODIFIED", "a", "2"), ("DELETED", "a", "2")])

    def test_a_watch_ends_when_it_is_said_to(self):
        started = time.monotonic()
        events = list(watch.Watch().stream(self.core.list_namespaced_config_map, self.namespace, timeout_seconds=1))
        self.assertTrue(all(event["type"] == "ADDED" for event in events), events)
        self.assertLess(time.monotonic() - started, 30)

    def test_an_informer_holds_what_is_there(self):
        self.create("before")
        informer = SharedInformer(self.core.list_namespaced_config_map, namespace=self.namespace)
        informer.start()
        try:
            names = lambda: {item.metadata.name for item in informer.cache.list()}
            eventually("the first list", lambda: "before" in names())
            self.create("after")
            eventually("an addition", lambda: "after" in names())
            self.delete("before")
            eventually("a deletion", lambda: "before" not in names())
        finally:
            informer.stop()


class Applying(InNamespace):
    def setUp(self):
        super().setUp()
        self.dynamic = dynamic.DynamicClient(client.ApiClient())
        self.maps = self.dynamic.resources.get(api_version="v1", kind="ConfigMap")

    def apply(self, manager, force=None, **data):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shared"}, "data": data}
        return self.maps.server_side_apply(
            body=body, namespace=self.namespace, field_manager=manager, force_conflicts=force
        )

    def test_two_managers_share_an_object(self):
        self.apply("one", a="1")
        shared = self.apply("two", b="2")
        self.assertEqual(shared.data.to_dict(), {"a": "1", "b": "2"})
        managers = {(entry.manager, entry.operation) for entry in shared.metadata.managedFields}
        self.assertEqual(managers, {("one", "Apply"), ("two", "Apply")})
        # What a manager no longer applies, and nobody else owns, goes.
        self.assertEqual(self.apply("one", c="3").data.to_dict(), {"b": "2", "c": "3"})

    def test_a_conflict_names_the_manager_and_force_takes_over(self):
        self.apply("one", a="1")
        with self.assertRaises(ApiException) as conflict:
            self.apply("two", a="2")
        self.assertEqual(conflict.exception.status, 409)
        status = json.loads(conflict.exception.body)
        self.assertEqual(status["message"], 'Apply failed with 1 conflict: conflict with "one": .data.a')
        self.assertEqual([cause["field"] for cause in status["details"]["causes"]], [".data.a"])
        self.assertEqual(self.apply("two", force=True, a="2").data.to_dict(), {"a": "2"})


class Leading(InNamespace):
    def test_of_two_candidates_one_leads_and_the_other_follows_it(self):
        leaders, stop = [], {"one": threading.Event(), "two": threading.Event()}

        def candidate(name):
            def lead():
                leaders.append(name)
                stop[name].wait(DEADLINE)
                raise RuntimeError("this candidate gives up, as the test wants")

            lock = LeaseLock("leader", self.namespace, name)
            settings = electionconfig.Config(
                lock, lease_duration=3, renew_deadline=2, retry_period=1, onstarted_leading=lead, onstopped_leading=lambda: None
            )
            threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()

        candidate("one")
        eventually("the first leads", lambda: leaders == ["one"])
        candidate("two")
        lease = client.CoordinationV1Api().read_namespaced_lease("leader", self.namespace)
        self.assertEqual(lease.spec.holder_identity, "one")
        stop["one"].set()
        eventually("the second leads", lambda: leaders == ["one", "two"])
        stop["two"].set()


class CustomKinds(InNamespace):
    def test_the_life_of_a_kind(self):
        group, plural = f"{self.namespace}.example.com", "gears"
        name = f"{plural}.{group}"
        extensions, custom = client.ApiextensionsV1Api(), client.CustomObjectsApi()
        # The typed models refuse null where the API promises a list: the first answer must be whole.
        created = extensions.create_custom_resource_definition(definition(group, plural))
        self.assertEqual(created.metadata.name, name)
        eventually("it is established", lambda: established(extensions.read_custom_resource_definition(name)))
        body = {"apiVersion": f"{group}/v1", "kind": "Gear", "metadata": {"name": "g"}, "spec": {"teeth": 12, "lost": True}}
        gear = custom.create_namespaced_custom_object(group, "v1", self.namespace, plural, body)
        self.assertEqual(gear["spec"], {"teeth": 12, "material": "brass"}, "pruned and defaulted")
        with self.assertRaises(ApiException) as refused:
            body["spec"]["teeth"], body["metadata"]["name"] = 1, "h"
            custom.create_namespaced_custom_object(group, "v1", self.namespace, plural, body)
        self.assertEqual(refused.exception.status, 422)
        status = {"status": {"worn": 3}}
        custom.patch_namespaced_custom_object_status(group, "v1", self.namespace, plural, "g", status)
        gears = custom.list_namespaced_custom_object(group, "v1", self.namespace, plural)
        self.assertEqual([gear["status"] for gear in gears["items"]], [{"worn": 3}])
        extensions.delete_custom_resource_definition(name)

        def gone():
            try:
                custom.list_namespaced_custom_object(group, "v1", self.namespace, plural)
            except ApiException as error:
                return error.status == 404
            return False

        eventually("it is gone", gone)


def established(found):
    return any(each.type == "Established" and each.status == "True" for each in found.status.conditions or [])


def definition(group, plural):
    spec = {
        "type": "object",
        "required": ["teeth"],
        "properties": {"teeth": {"type": "integer", "minimum": 3}, "material": {"type": "string", "default": "brass"}},
    }
    status = {"type": "object", "properties": {"worn": {"type": "integer"}}}
    return client.V1CustomResourceDefinition(
        metadata=client.V1ObjectMeta(name=f"{plural}.{group}"),
        spec=client.V1CustomResourceDefinitionSpec(
            group=group,
            scope="Namespaced",
            names=client.V1CustomResourceDefinitionNames(plural=plural, kind="Gear", singular="gear", list_kind="GearList"),
            versions=[
                client.V1CustomResourceDefinitionVersion(
                    name="v1",
                    served=True,
                    storage=True,
                    subresources=client.V1CustomResourceSubresources(status={}),
                    schema=client.V1CustomResourceValidation(
                        open_apiv3_schema=client.V1JSONSchemaProps(
                            type="object", properties={"spec": spec, "status": status}
                        )
                    ),
                )
            ],
        ),
    )
