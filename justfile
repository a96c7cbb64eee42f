# The steps of the gate, one by one as CI runs them, then what is too long for it.

# List the recipes.
default:
    @just --list

# Everything that CI runs.
ci:
    bash .ci/run

# Formatting, lints, each crate alone, documentation.
check:
    bash .ci/run fmt lint alone doc

# Bans, licences and sources of the dependencies.
deny:
    bash .ci/run deny

# Known advisories; needs the network, hence not in CI.
advisories:
    cargo deny check advisories

# All tests; builds kube-apiserver, etcd and kubectl the first time.
test:
    bash .ci/run tests

# Only the end-to-end tests whose name contains NAME.
e2e NAME="":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_OLD_KUBECTL=$(tests/tools/old-kubectl) PLIMSOLL_PYTHON_CLIENT=$(tests/clients/python-client) PLIMSOLL_E2E=required cargo test --test e2e -- {{NAME}}

# From a cluster's change to the patch on a real API server; printed, never asserted. Wants an idle machine.
latency OBJECTS="10000":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_E2E=required OBJECTS={{OBJECTS}} cargo test --release --test e2e -- --ignored --nocapture latency

# Decisions and sweeps under full load while state and policies change, for SECONDS; CI takes 10.
soak SECONDS="600":
    SOAK_SECONDS={{SECONDS}} cargo test --release --test soak -- --nocapture

# The embedded API server under more silent connections and random paths than CI has time for.
floods CONNECTIONS="5000" PATHS="100000":
    SILENT_CONNECTIONS={{CONNECTIONS}} RANDOM_PATHS={{PATHS}} cargo test -p plimsoll-apiserver --test bad_input -- floods

# plimsoll-rego beside real OPA on SETS sets of policies made at random, four inputs each; CI does 500.
differential SETS="100000" SEED="1":
    PLIMSOLL_E2E=required DIFFERENTIAL_SETS={{SETS}} DIFFERENTIAL_SEED={{SEED}} cargo test --release -p plimsoll-rego --test differential -- --nocapture

# COUNT small changes of plimsoll-rego's compile, eval and depend, drawn by SEED: which of them the suites catch; fewer than 95 % fail.
mutants COUNT="300" SEED="1":
    KUBEBUILDER_ASSETS=$(tests/tools/build) cargo run --quiet --locked --manifest-path rego/tests/tools/mutants/Cargo.toml -- {{COUNT}} {{SEED}}

# The changes that FILE lists once more: a run leaves there what the suites did not catch.
mutants-again FILE="target/mutants/survivors.yaml":
    KUBEBUILDER_ASSETS=$(tests/tools/build) cargo run --quiet --locked --manifest-path rego/tests/tools/mutants/Cargo.toml -- "{{join(justfile_directory(), FILE)}}"

# OPA's own conformance cases; FILE gets every case that does not pass, and how.
conformance FILE="target/conformance.tsv":
    KUBEBUILDER_ASSETS=$(tests/tools/build) CONFORMANCE_DUMP="{{join(justfile_directory(), FILE)}}" cargo test -p plimsoll-rego --test conformance -- --nocapture

# Renew rego/tests/conformance/expected.yaml; what is new there wants a reason, which a person writes.
conformance-list:
    CONFORMANCE_LIST="{{justfile_directory()}}/rego/tests/conformance/expected.yaml" cargo test -p plimsoll-rego --test conformance

# Public policies (trivy-checks, regal) checked and tested here and by real OPA: time and peak memory, medians of COUNT runs.
public COUNT="5":
    cargo build --release -p plimsoll-rego --example policies
    rego/tests/tools/public/speed "${CARGO_TARGET_DIR:-target}/release/examples/policies" {{COUNT}}

# Each test of public policies here and in real OPA, on one processor: how many times as fast, medians of RUNS runs of ROUNDS rounds.
public-tests RUNS="3" ROUNDS="3":
    cargo build --release -p plimsoll-rego --example policies
    rego/tests/tools/public/each-test "${CARGO_TARGET_DIR:-target}/release/examples/policies" {{RUNS}} {{ROUNDS}}

# The engine under this many silent connections; CI has fewer.
silence CONNECTIONS="5000":
    SILENT_CONNECTIONS={{CONNECTIONS}} cargo test --test http -- silent

# Hostile requests at every endpoint for SECONDS while admission runs, the requests of SEED; CI does 30 s.
siege SECONDS="3600" SEED="1":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_E2E=required SIEGE_SECONDS={{SECONDS}} SIEGE_SEED={{SEED}} cargo test --test siege -- --nocapture

# Two pairs of engine and sidecar under kills, lag and faults, COUNT schedules from SEED on; CI does 10.
schedules COUNT="100" SEED="1":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_E2E=required SCHEDULES={{COUNT}} SCHEDULES_SEED={{SEED}} cargo test --test schedules -- --nocapture

# The brake on a fleet, each scenario with each death, OBJECTSxCLUSTERS on the real API server; CI has 24x6, and one death for each.
brake-fleet SIZE="300x20":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_E2E=required BRAKE_FLEET={{SIZE}} cargo test --test e2e -- --nocapture brake_fleet

# `plimsoll predict` against what the embedded and the real API server then do, EMBEDDED and CASES requests, drawn by SEED; CI does 100 and 60.
predict CASES="60" EMBEDDED="1000" SEED="1":
    PREDICT_SEED={{SEED}} PREDICT_CASES={{EMBEDDED}} cargo test --test predict -- --nocapture
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_E2E=required PREDICT_SEED={{SEED}} PREDICT_CASES={{CASES}} cargo test --test e2e -- --nocapture predict::

# COUNT times: a webhook is registered, and the next object meets it; it is deleted, and the next one does not. CI does 300.
markers COUNT="10000":
    MARKERS={{COUNT}} cargo test -p plimsoll-apiserver --test webhooks -- --nocapture the_next_request_meets

# Every function and operator on doubled, deep and long values; CASES is a part of a case's name, such as `sprintf`, or all.
limits CASES="all":
    LIMITS_CASES={{CASES}} cargo test --test limits -- --nocapture

# OPA's API, asked of ours and of a real OPA.
opa NAME="":
    KUBEBUILDER_ASSETS=$(tests/tools/build) PLIMSOLL_OPA_CLIENTS=$(tests/clients/opa-clients) PLIMSOLL_E2E=required cargo test --test http -- {{NAME}}

# The shipped policies' own tests.
policies:
    bash .ci/run policies

# Renew what is generated from deploy/host/sync.yaml; CI compares.
manifests:
    cargo run --quiet -- manifests --config deploy/host/sync.yaml > deploy/federation/generated.yaml.new
    mv deploy/federation/generated.yaml.new deploy/federation/generated.yaml

# Every benchmark, optimised; figures are printed, never asserted.
bench *ARGS:
    KUBEBUILDER_ASSETS=$(tests/tools/build) cargo bench {{ARGS}}

# The tables of docs/speed.md, medians of RUNS: decisions over HTTP beside OPA, reviews, changes of state, and how sweeps grow. Wants an idle machine for 40 minutes.
speed RUNS="5":
    KUBEBUILDER_ASSETS=$(tests/tools/build) RUNS={{RUNS}} cargo bench --bench serve
    STYLES=policies,helpers CLUSTERS=100 RUNS={{RUNS}} cargo bench --bench review
    KUBEBUILDER_ASSETS=$(tests/tools/build) RUNS={{RUNS}} cargo bench --bench changes
    cargo bench --bench sweep -- growth

# The embedded API server under SIGKILL; CI does 50.
kills COUNT="1000":
    KILLS={{COUNT}} cargo test -p plimsoll-apiserver --test kills -- --nocapture

# TARGET (parser, compiler, evaluator) of plimsoll-rego under libFuzzer, as below, from the corpus of policies.
fuzz-rego TARGET SECONDS="1800":
    mkdir -p fuzz/corpus/{{TARGET}} fuzz/artifacts/{{TARGET}}
    cd fuzz && cargo build --release --locked --no-default-features --bin {{TARGET}}
    cd fuzz && ulimit -s 2048 && ulimit -v 8388608 && cargo run --quiet --release --locked --no-default-features --bin {{TARGET}} -- corpus/{{TARGET}} ../tests/fuzz/corpus/policy -dict=../tests/fuzz/policy.dict -artifact_prefix=artifacts/{{TARGET}}/ -max_len=4096 -timeout=60 -rss_limit_mb=2048 -max_total_time={{SECONDS}} -print_final_stats=1

# TARGET (policy, json, bundle, http) under libFuzzer, from the kept corpus, on the pinned compiler: coverage without a sanitizer
# (fuzz/.cargo/config.toml), on the stack of an ordinary thread, in bounded memory. What it learns goes to fuzz/corpus, what
# breaks to fuzz/artifacts: minimise that (`-minimize_crash=1`), fix it, keep it in tests/fuzz/corpus, where CI replays it.
fuzz TARGET SECONDS="1800":
    mkdir -p fuzz/corpus/{{TARGET}} fuzz/artifacts/{{TARGET}}
    cd fuzz && cargo build --release --locked --bin {{TARGET}}
    cd fuzz && ulimit -s 2048 && ulimit -v 8388608 && cargo run --quiet --release --locked --bin {{TARGET}} -- corpus/{{TARGET}} ../tests/fuzz/corpus/{{TARGET}} -dict=../tests/fuzz/{{TARGET}}.dict -artifact_prefix=artifacts/{{TARGET}}/ -max_len=4096 -timeout=60 -rss_limit_mb=2048 -max_total_time={{SECONDS}} -print_final_stats=1
