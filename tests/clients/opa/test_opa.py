"""What a program written with opa-python-client does, from end to end.

Run by tests/http/clients.rs against one server, named by OPA_HOST and OPA_PORT:

    python3 -m unittest test_opa
"""

import os
import unittest

from opa_client import OpaClient
from opa_client.errors import DeleteDataError, DeletePolicyError, PolicyNotFoundError, RegoParseError

POLICY = """package app.abac

default allow := false

allow if input.user == data.app.owner

greeting := sprintf("hello %s", [input.user])
"""

OLD = """package app.old

allow { input.user == "ann" }
"""


class Client(unittest.TestCase):
    def setUp(self):
        self.client = OpaClient(host=os.environ["OPA_HOST"], port=int(os.environ["OPA_PORT"]), timeout=30)
        self.addCleanup(self.client.close_connection)

    def test_it_finds_the_server(self):
        self.assertTrue(self.client.check_connection())
        self.assertTrue(self.client.check_health())
        self.assertTrue(self.client.check_health(query={"bundles": True, "plugins": True}))
        self.assertIn("default_decision", self.client.get_config()["result"])
        self.assertIn("http_request_duration_seconds", self.client.get_metrics())

    def test_policies_come_and_go(self):
        self.assertTrue(self.client.update_policy_from_string(POLICY, "abac/one.rego"))
        self.assertIn("abac/one.rego", self.client.get_policies_list())
        info = self.client.get_policies_info()["abac/one.rego"]
        self.assertTrue(info["path"].endswith("/v1/data/app/abac"), info)
        self.assertEqual(sorted(rule.rsplit("/", 1)[1] for rule in info["rules"]), ["allow", "greeting"])
        self.assertEqual(self.client.get_policy("abac/one.rego")["result"]["raw"], POLICY)
        self.assertTrue(self.client.delete_policy("abac/one.rego"))
        with self.assertRaises(PolicyNotFoundError) as missing:
            self.client.get_policy("abac/one.rego")
        self.assertIn("resource_not_found", str(missing.exception))
        with self.assertRaises(DeletePolicyError):
            self.client.delete_policy("abac/one.rego")

    def test_a_broken_policy_is_an_error(self):
        with self.assertRaises(RegoParseError) as error:
            self.client.update_policy_from_string("package broken\n\np := [\n", "broken")
        self.assertIn("invalid_parameter", str(error.exception))
        with self.assertRaises(RegoParseError):
            self.client.update_policy_from_string("package broken\n\np := x\n", "broken")

    def test_old_policies_are_taken(self):
        self.assertTrue(self.client.update_policy_from_string(OLD, "old"))
        self.assertEqual(self.client.query_rule({"user": "ann"}, "app.old", "allow")["result"], True)
        self.assertTrue(self.client.delete_policy("old"))

    def test_data_comes_and_goes(self):
        self.assertTrue(self.client.update_or_create_data({"list": [1, 2]}, "python/data"))
        self.assertEqual(self.client.get_data("python/data")["result"], {"list": [1, 2]})
        self.assertTrue(self.client.patch_data("python/data", [{"op": "add", "path": "/list/-", "value": 3}]))
        answer = self.client.get_data("python/data/list", query_params={"metrics": True, "provenance": True})
        self.assertEqual(answer["result"], [1, 2, 3])
        self.assertIn("metrics", answer)
        self.assertTrue(self.client.delete_data("python/data"))
        with self.assertRaises(DeleteDataError):
            self.client.delete_data("python/data")
        with self.assertRaises(PolicyNotFoundError):
            self.client.get_data("python/data")

    def test_it_asks(self):
        self.client.update_or_create_data({"owner": "ann"}, "app")
        self.client.update_policy_from_string(POLICY, "abac")
        self.assertEqual(self.client.query_rule({"user": "ann"}, "app.abac", "allow")["result"], True)
        self.assertEqual(self.client.query_rule({"user": "bob"}, "app.abac")["result"], {"allow": False, "greeting": "hello bob"})
        rows = self.client.ad_hoc_query("x := data.app.abac.greeting", {"user": "eve"})
        self.assertEqual(rows["result"], [{"x": "hello eve"}])
        many = self.client.bulk_query_rule([{"user": "ann"}, {"user": "bob"}], "app.abac", "allow")
        self.assertEqual(many, [True, False])
        self.client.delete_policy("abac")


if __name__ == "__main__":
    unittest.main()
