// What a program written with @open-policy-agent/opa does. Run by tests/http/clients.rs with `node --test` against one
// server, named by OPA_URL, from the directory that has the client in its node_modules.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(join(process.cwd(), "package.json")));
const { OPAClient } = require("@open-policy-agent/opa");
const url = process.env.OPA_URL;

const POLICY = `package js.app

allow if input.user == "ann"

decision := {"allowed": input.user == "ann", "roles": data.js.roles}
`;
const SYSTEM = `package system

main := {"who": input.user}
`;

async function put(path, body) {
  const answer = await fetch(`${url}/v1/${path}`, { method: "PUT", body });
  assert.ok(answer.ok, await answer.text());
}

before(async () => {
  await put("data/js", JSON.stringify({ roles: ["reader"] }));
  await put("policies/js/app.rego", POLICY);
  await put("policies/js/system.rego", SYSTEM);
});

test("a decision", async () => {
  const client = new OPAClient(url);
  assert.equal(await client.evaluate("js/app/allow", { user: "ann" }), true);
  assert.equal(await client.evaluate("js/app/allow", { user: "bob" }), undefined);
  const decision = await client.evaluate("js/app/decision", { user: "ann" });
  assert.deepEqual(decision, { allowed: true, roles: ["reader"] });
  const allowed = await client.evaluate("js/app/decision", { user: "bob" }, { fromResult: (result) => result.allowed });
  assert.equal(allowed, false);
});

test("a decision without input", async () => {
  const client = new OPAClient(url);
  assert.deepEqual(await client.evaluate("js/roles"), ["reader"]);
});

test("the default decision", async () => {
  const client = new OPAClient(url);
  assert.deepEqual(await client.evaluateDefault({ user: "ann" }), { who: "ann" });
});

test("many decisions, one by one, for OPA has no batch API", async () => {
  const client = new OPAClient(url);
  const inputs = { a: { user: "ann" }, b: { user: "bob" } };
  const found = await client.evaluateBatch("js/app/decision", inputs, { fallback: true });
  assert.equal(found.a.allowed, true);
  assert.equal(found.b.allowed, false);
});

test("an error of evaluation", async () => {
  await put("policies/js/clash.rego", "package js.clash\n\nx := 1 if input.a\n\nx := 2 if input.b\n");
  const client = new OPAClient(url);
  await assert.rejects(client.evaluate("js/clash/x", { a: true, b: true }), /evaluating/);
});
