//! Which admission plugins, versions and resources the API server has, by the flags of kube-apiserver.

use plimsoll_apiserver::admission::enablement::Enablement;
use plimsoll_apiserver::resources::RuntimeConfig;

/// Options of the API server that kube-apiserver has too.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ApiServerArgs {
    /// Admission plugins that must run, in no order; all run by default that are configured. One that cannot is an error.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', env = "PLIMSOLL_ENABLE_ADMISSION_PLUGINS")]
    pub enable_admission_plugins: Vec<String>,
    /// Admission plugins that do not run, in no order.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', env = "PLIMSOLL_DISABLE_ADMISSION_PLUGINS")]
    pub disable_admission_plugins: Vec<String>,
    /// Exactly the admission plugins that run, in this order, as until Kubernetes 1.9; deprecated in kube-apiserver, where the order
    /// has no meaning any more. Nothing: none of them.
    // Not from the environment: a variable that is set to nothing would switch everything off.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub admission_control: Option<Vec<String>>,
    /// Built-in versions and resources that are served or not: `group/version[/resource]=true|false`, `api/all`, `api/ga`, `api/beta`,
    /// `api/alpha`; all are by default.
    #[arg(long, value_name = "KEY=VALUE", env = "PLIMSOLL_RUNTIME_CONFIG")]
    pub runtime_config: Vec<String>,
}

impl ApiServerArgs {
    /// Returns which admission plugins run, as the flags say.
    pub(super) fn enablement(&self) -> Enablement {
        Enablement {
            enable: self.enable_admission_plugins.clone(),
            disable: self.disable_admission_plugins.clone(),
            exactly: self.admission_control.clone(),
        }
    }

    /// Returns which versions and resources are served, as the flags say.
    pub(super) fn runtime_config(&self) -> RuntimeConfig {
        RuntimeConfig::new(self.runtime_config.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ApiServerArgs,
    }

    #[test]
    fn flags_are_read_as_kube_apiserver_reads_them() {
        let read = |text: &str| Line::try_parse_from(["dev"].into_iter().chain(text.split_whitespace())).unwrap().args;
        let names = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let args = read("--enable-admission-plugins a,b --enable-admission-plugins=c --disable-admission-plugins d");
        let expected = Enablement { enable: names("a,b,c"), disable: names("d"), exactly: None };
        assert_eq!((args.enablement(), args.runtime_config()), (expected, RuntimeConfig::default()));
        let args = read("--admission-control= --runtime-config api/all=false,/v1 --runtime-config=apps/v1=true");
        assert_eq!(args.enablement().plugins().unwrap(), []);
        assert_eq!(args.runtime_config(), RuntimeConfig::new(["apps/v1=true", "/v1=", "api/all=false"]));
    }
}
