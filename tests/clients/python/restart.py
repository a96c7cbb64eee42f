"""An informer, a watch and a list while the API server is restarted; see test_client.py."""

import sys
import unittest

from kubernetes import watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import SharedInformer

from test_client import InNamespace, eventually


class Restarted(InNamespace):
    def test_what_clients_hold_survives(self):
        old = self.create("old").metadata.resource_version
        self.create("kept")
        informer = SharedInformer(self.core.list_namespaced_config_map, namespace=self.namespace)
        expired = []
        informer.add_event_handler("ERROR", lambda error: expired.append(getattr(error, "status", None)))
        informer.start()
        names = lambda: {item.metadata.name for item in informer.cache.list()}
        try:
            eventually("the first list", lambda: {"old", "kept"} <= names())
            self.delete("old")
            eventually("the deletion", lambda: "old" not in names())
            before = self.core.read_namespaced_config_map("kept", self.namespace)

            print("restart", flush=True)
            sys.stdin.readline()

            after = self.core.read_namespaced_config_map("kept", self.namespace)
            self.assertEqual(after.metadata.resource_version, before.metadata.resource_version, "what was stored is there")
            new = self.create("new").metadata.resource_version
            self.assertGreater(int(new), int(after.metadata.resource_version), "no version is used again")
            eventually("the informer has caught up", lambda: "new" in names() and "old" not in names())
            self.too_old(old)
        finally:
            informer.stop()

    def too_old(self, version):
        """The history does not reach back beyond the restart: said in the stream, as 410."""
        events = watch.Watch().stream(
            self.core.list_namespaced_config_map, self.namespace, resource_version=version, timeout_seconds=10
        )
        with self.assertRaises(ApiException) as expired:
            for _ in events:
                pass
        self.assertEqual(expired.exception.status, 410)
