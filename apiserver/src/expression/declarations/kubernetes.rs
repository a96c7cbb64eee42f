//! Kubernetes' own libraries. Source: kube-apiserver 1.36.3, `apiserver` `pkg/cel/library`.

use super::Row;

pub(super) const LIBRARIES: &[Row] = &[
    // authz.go
    (AUTHORIZER, "path", "string", PATH_CHECK),
    (AUTHORIZER, "group", "string", GROUP_CHECK),
    (AUTHORIZER, "serviceAccount", "string, string", AUTHORIZER),
    (GROUP_CHECK, "resource", "string", RESOURCE_CHECK),
    (RESOURCE_CHECK, "subresource namespace name fieldSelector labelSelector", "string", RESOURCE_CHECK),
    (PATH_CHECK, "check", "string", DECISION),
    (RESOURCE_CHECK, "check", "string", DECISION),
    (DECISION, "allowed errored", "", "bool"),
    (DECISION, "reason error", "", "string"),
    // regex.go
    ("string", "find", "string", "string"),
    ("string", "findAll", "string", "list(string)"),
    ("string", "findAll", "string, int", "list(string)"),
    // lists.go
    ("list(bool)", "isSorted", "", "bool"),
    ("list(bytes)", "isSorted", "", "bool"),
    ("list(double)", "isSorted", "", "bool"),
    ("list(duration)", "isSorted", "", "bool"),
    ("list(int)", "isSorted", "", "bool"),
    ("list(string)", "isSorted", "", "bool"),
    ("list(timestamp)", "isSorted", "", "bool"),
    ("list(uint)", "isSorted", "", "bool"),
    ("list(double)", "sum", "", "double"),
    ("list(duration)", "sum", "", "duration"),
    ("list(int)", "sum", "", "int"),
    ("list(uint)", "sum", "", "uint"),
    ("list(bool)", "min max", "", "bool"),
    ("list(bytes)", "min max", "", "bytes"),
    ("list(double)", "min max", "", "double"),
    ("list(duration)", "min max", "", "duration"),
    ("list(int)", "min max", "", "int"),
    ("list(string)", "min max", "", "string"),
    ("list(timestamp)", "min max", "", "timestamp"),
    ("list(uint)", "min max", "", "uint"),
    ("list(T)", "indexOf lastIndexOf", "T", "int"),
    // quantity.go
    ("", "quantity", "string", QUANTITY),
    ("", "isQuantity", "string", "bool"),
    ("", "sign", QUANTITY, "int"),
    (QUANTITY, "isGreaterThan isLessThan", QUANTITY, "bool"),
    (QUANTITY, "compareTo", QUANTITY, "int"),
    (QUANTITY, "asApproximateFloat", "", "double"),
    (QUANTITY, "asInteger", "", "int"),
    (QUANTITY, "isInteger", "", "bool"),
    (QUANTITY, "add sub", QUANTITY, QUANTITY),
    (QUANTITY, "add sub", "int", QUANTITY),
    // ip.go
    ("", "ip", "string", IP),
    ("", "isIP ip.isCanonical", "string", "bool"),
    ("", "string", IP, "string"),
    (IP, "family", "", "int"),
    (IP, "isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast", "", "bool"),
    // cidr.go
    ("", "cidr", "string", CIDR),
    ("", "isCIDR", "string", "bool"),
    ("", "string", CIDR, "string"),
    (CIDR, "containsIP containsCIDR", "string", "bool"),
    (CIDR, "containsIP", IP, "bool"),
    (CIDR, "containsCIDR", CIDR, "bool"),
    (CIDR, "ip", "", IP),
    (CIDR, "prefixLength", "", "int"),
    (CIDR, "masked", "", CIDR),
    // urls.go
    ("", "url", "string", URL),
    ("", "isURL", "string", "bool"),
    (URL, "getScheme getHost getHostname getPort getEscapedPath", "", "string"),
    (URL, "getQuery", "", "map(string, list(string))"),
    // semverlib.go
    ("", "semver", "string", SEMVER),
    ("", "semver", "string, bool", SEMVER),
    ("", "isSemver", "string", "bool"),
    ("", "isSemver", "string, bool", "bool"),
    (SEMVER, "isGreaterThan isLessThan", SEMVER, "bool"),
    (SEMVER, "compareTo", SEMVER, "int"),
    (SEMVER, "major minor patch", "", "int"),
    // format.go
    ("", "format.named", "string", "optional(kubernetes.NamedFormat)"),
    ("", "format.dns1123Label format.dns1123Subdomain format.dns1035Label format.qualifiedName", "", FORMAT),
    ("", "format.dns1123LabelPrefix format.dns1123SubdomainPrefix format.dns1035LabelPrefix", "", FORMAT),
    ("", "format.labelValue format.uri format.uuid format.byte format.date format.datetime", "", FORMAT),
    (FORMAT, "validate", "string", "optional(list(string))"),
];

const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";
const PATH_CHECK: &str = "kubernetes.authorization.PathCheck";
const GROUP_CHECK: &str = "kubernetes.authorization.GroupCheck";
const RESOURCE_CHECK: &str = "kubernetes.authorization.ResourceCheck";
const DECISION: &str = "kubernetes.authorization.Decision";
const QUANTITY: &str = "kubernetes.Quantity";
const IP: &str = "net.IP";
const CIDR: &str = "net.CIDR";
const URL: &str = "kubernetes.URL";
const SEMVER: &str = "kubernetes.Semver";
const FORMAT: &str = "kubernetes.NamedFormat";
