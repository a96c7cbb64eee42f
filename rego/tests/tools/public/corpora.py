"""The public sets of policies that are measured, and OPA with the functions that they bring."""
import os, subprocess

here = os.path.dirname(os.path.abspath(__file__))
data = os.path.join(here, "../../public/regal.json")

def build_opa(work):
    opa = os.path.join(work, "opa")
    subprocess.run(["go", "build", "-trimpath", "-o", opa, "."], cwd=here, check=True, env={**os.environ, "CGO_ENABLED": "0"})
    return opa

def corpora():
    """Name, folder, OPA's arguments, and those of the example `policies`."""
    trivy, regal = folder("github.com/aquasecurity/trivy-checks"), folder("github.com/styrainc/regal")
    below, without = ["lib", "checks", "examples"], ["*.yaml", "service_with_externalip*"]
    ignored = [word for name in without for word in ("--ignore", name)]
    left_out = [word for name in without for word in ("--without", name)]
    return [
        ("trivy-checks", trivy, [*below, *ignored], [".", *below, *left_out]),
        ("regal", regal, ["bundle", data], [".", "bundle", "--data", data]),
    ]

def folder(module):
    return subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", module], cwd=here, check=True, capture_output=True, text=True).stdout.strip()
