# Sourced by test.sh and live.sh: makes a virtual environment with the locked packages, and sets $python to its
# interpreter. PYTHON chooses another interpreter; Python 3.9 and 3.10 get the lowest supported packages.
base=${PYTHON:-python3}
version=$("$base" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
case $version in
  3.9 | 3.10) lock=requirements-test-lowest.txt ;;
  *) lock=requirements-test.txt ;;
esac
environment=.venv/$version
python=$environment/bin/python
# A second run installs nothing: the copy of the lockfile is made last.
if ! cmp -s "$lock" "$environment/installed-lock"; then
  rm -rf "$environment"
  mkdir -p .venv
  "$base" -m venv "$environment"
  "$python" -m pip install --quiet --no-compile --disable-pip-version-check --requirement "$lock"
  cp "$lock" "$environment/installed-lock"
fi
# Only what runs is compiled, once, and outside the sources.
export PYTHONPYCACHEPREFIX=$PWD/$environment/bytecode
