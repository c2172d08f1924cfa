#!/bin/sh
# Compiles and runs Program.cs in the folder $1 with this package, on Mono: docs/signing/csharp.md says how with .NET.
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
mcs -langversion:7.2 -r:System.Net.Http.dll -out:"$folder/first.exe" src/*.cs src/Testing/*.cs "$folder/Program.cs" >&2
cd "$folder"
exec mono first.exe
