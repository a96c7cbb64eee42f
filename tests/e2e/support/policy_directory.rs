//! A directory as the kubelet mounts a ConfigMap: files are links through `..data`, which is swapped as a whole.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The mounted directory.
#[derive(Debug)]
pub(crate) struct PolicyDirectory {
    path: PathBuf,
    generation: u32,
}

impl PolicyDirectory {
    pub(crate) fn new(path: PathBuf) -> Self {
        std::fs::create_dir_all(&path).unwrap();
        let mut directory = Self { path, generation: 0 };
        directory.mount(&[]);
        directory
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes `files` the whole content, in the order of steps that the kubelet follows.
    pub(crate) fn mount(&mut self, files: &[(&str, &str)]) {
        self.generation += 1;
        let content = format!("..2026_11_21_{}", self.generation);
        std::fs::create_dir(self.path.join(&content)).unwrap();
        for (name, text) in files {
            std::fs::write(self.path.join(&content).join(name), text).unwrap();
        }
        let old = std::fs::read_link(self.path.join("..data")).ok();
        symlink(&content, self.path.join("..data_tmp")).unwrap();
        std::fs::rename(self.path.join("..data_tmp"), self.path.join("..data")).unwrap();
        self.link(files);
        if let Some(old) = old {
            std::fs::remove_dir_all(self.path.join(old)).unwrap();
        }
    }

    fn link(&self, files: &[(&str, &str)]) {
        let wanted: BTreeSet<&str> = files.iter().map(|(name, _)| *name).collect();
        for name in &wanted {
            if !self.path.join(name).is_symlink() {
                symlink(Path::new("..data").join(name), self.path.join(name)).unwrap();
            }
        }
        for entry in std::fs::read_dir(&self.path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !name.starts_with("..") && !wanted.contains(name.as_str()) {
                std::fs::remove_file(self.path.join(name)).unwrap();
            }
        }
    }
}
