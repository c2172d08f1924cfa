#!/bin/sh
# Runs src/main.rs in the folder $1 with this crate, as docs/signing/rust.md says, but with the locked dependencies.
set -eu
package=$(cd "$(dirname "$0")" && pwd)
cd "$1"
cp "$package/Cargo.lock" .
cat > Cargo.toml << EOT
[package]
name = "first"
edition = "2024"

[dependencies]
countersign-signer = { path = "$package", features = ["reqwest"] }
reqwest = { version = "*", default-features = false }
tokio = { version = "*", features = ["macros", "rt-multi-thread"] }

[profile.dev]
debug = false
EOT
# Shares what ./test.sh has compiled, because the profile is the same.
CARGO_TARGET_DIR=$package/target exec cargo run --quiet
