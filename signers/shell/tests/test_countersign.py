"""Runs countersign.sh under each shell of this machine: dash and bash."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from server import Server  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent.parent
SCRIPT = FOLDER / "countersign.sh"
VECTORS = FOLDER.parent.parent / "vectors" / "profile"
SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]
CLIENT_ID = "client_01m7xpht4ya6hy6swme76qzc7p"
KEYS = json.loads((VECTORS / "keys.json").read_text())["keys"]
NOW = 1_775_505_115


class ShellTest(unittest.TestCase):
    shell = "sh"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("private.pem", KEYS["rsa-2048-a"]["privateKeyPem"])
        self.write("public.pem", KEYS["rsa-2048-a"]["publicKeyPem"])

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o600)
        return path

    def run_script(self, *arguments, stdin=b"", **environment):
        """Runs the script; an environment variable that is None is not set."""
        whole = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder),
            "NO_PROXY": "*",
            "CLIENT_ID": CLIENT_ID,
            "PRIVATE_KEY_FILE": "private.pem",
            **environment,
        }
        return subprocess.run(
            [self.shell, str(SCRIPT), *arguments],
            cwd=self.folder,
            env={name: value for name, value in whole.items() if value is not None},
            input=stdin,
            capture_output=True,
        )

    def dry_run(self, *arguments, **environment):
        """Returns what would be sent: the first line, the headers and the signature base."""
        done = self.run_script("--dry-run", *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, base = done.stdout.decode().split("\n\n", 1)
        first, *lines = head.split("\n")
        return first, dict(line.split(": ", 1) for line in lines), base[:-1]

    def assert_stops(self, code, says, *arguments, **environment):
        done = self.run_script(*arguments, **environment)
        errors = done.stderr.decode()
        self.assertEqual(done.returncode, 2, f"{arguments} {environment}: {errors}")
        self.assertIn(f"countersign.sh: {code}: ", errors)
        self.assertIn(says, errors)
        self.assertEqual(done.stdout, b"")
        self.assertNotIn("MII", errors)

    def assert_signed(self, request, origin):
        """Checks a received request as a service would, with a base that is built here."""
        lines = [f'"@method": {request.method}', f'"@target-uri": {origin}{request.target}']
        names = '"@method" "@target-uri"'
        if request.body:
            digest = base64.b64encode(hashlib.sha256(request.body).digest()).decode()
            self.assertEqual(request.headers["content-digest"], [f"sha-256=:{digest}:"])
            lines.append(f'"content-digest": sha-256=:{digest}:')
            names += ' "content-digest"'
        else:
            self.assertNotIn("content-digest", request.headers)
        [date] = request.headers["date"]
        [signature_input] = request.headers["signature-input"]
        lines += [f'"date": {date}', f'"@signature-params": {signature_input[4:]}']
        match = re.fullmatch(
            rf'sig=\({names} "date"\);created=(\d+);keyid="{CLIENT_ID}";alg="rsa-v1_5-sha256"', signature_input
        )
        self.assertIsNotNone(match, signature_input)
        self.assertEqual(date, time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(int(match[1]))))
        [signature] = request.headers["signature"]
        self.assertRegex(signature, r"\Asig=:[A-Za-z0-9+/]+={0,2}:\Z")
        self.write("base", "\n".join(lines))
        self.write("signature", base64.b64decode(signature[5:-1]))
        verify = ["openssl", "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "base"]
        done = subprocess.run(verify, cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, lines)
        return int(match[1])

    def seconds_in(self, folder):
        return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))

    # --- What is signed ---

    def test_vectors(self):
        cases = json.loads((VECTORS / "positive.json").read_text())["cases"]
        self.assertGreater(len(cases), 90)
        for name, key in KEYS.items():
            self.write(f"{name}.pem", key["privateKeyPem"])
        with ThreadPoolExecutor(2) as pool:
            for case, outcome in zip(cases, pool.map(self.sign_vector, cases)):
                with self.subTest(case["id"]):
                    first, headers, base = outcome
                    wanted = case["signer"]["output"]
                    self.assertEqual(base, wanted["signatureBase"])
                    self.assertEqual(headers.get("Content-Digest"), wanted["contentDigest"])
                    self.assertEqual(headers["Signature-Input"], wanted["signatureInput"])
                    self.assertEqual(headers["Signature"], wanted["signature"])
                    self.assertEqual(headers["Date"], case["signer"]["input"]["date"])
                    given = case["signer"]["input"]
                    self.assertEqual(first, f"{given['method'].upper()} {given['url']}")

    def sign_vector(self, case):
        given = case["signer"]["input"]
        arguments = [given["method"], given["url"]]
        body = case["request"]["body"]
        if body is not None:
            if "file" in body:
                content = (VECTORS / body["file"]).read_bytes()
            else:
                content = base64.b64decode(body["base64"])
            arguments.append(str(self.write(f"{case['id'].replace('/', '-')}.body", content)))
        return self.dry_run(
            *arguments,
            CLIENT_ID=given["keyid"],
            PRIVATE_KEY_FILE=f"{given['privateKey']}.pem",
            COUNTERSIGN_NOW=str(given["created"]),
            # Where the vector has the Date of created, the script must make it.
            COUNTERSIGN_DATE=given["date"] if "date-differs" in case["id"] else None,
            SHARED_FOLDER="none",
        )

    def test_dates(self):
        seconds = [0, 951_782_400, 951_868_799, 1_709_164_800, 1_709_251_199, 4_107_542_400, 253_402_300_799]
        seconds += [NOW + day * 86_400 * 31 + day * 3_607 for day in range(14)]
        for second in seconds:
            _, headers, _ = self.dry_run("GET", "http://h/", COUNTERSIGN_NOW=str(second), SHARED_FOLDER="none")
            self.assertEqual(headers["Date"], time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(second)))

    def test_quotes_in_the_client_id_are_escaped(self):
        _, headers, _ = self.dry_run("GET", "http://h/", CLIENT_ID='a"b\\c')
        self.assertIn(';keyid="a\\"b\\\\c";', headers["Signature-Input"])

    def test_date_can_be_left_out(self):
        _, headers, base = self.dry_run("GET", "http://h/", COVER_DATE="false")
        self.assertEqual(list(headers), ["Signature-Input", "Signature"])
        self.assertNotIn("date", base)

    def test_nonces(self):
        inputs = set()
        for _ in range(3):
            _, headers, _ = self.dry_run("GET", "http://h/", NONCE="true", COUNTERSIGN_NOW=str(NOW))
            self.assertRegex(headers["Signature-Input"], rf';created={NOW};.*;nonce="[0-9a-f]{{32}}"\Z')
            inputs.add(headers["Signature-Input"])
        self.assertEqual(len(inputs), 3)

    # --- What is sent ---

    def test_requests_of_every_kind(self):
        json_body = b'{"amount":1250,"reference":"it\'s $HOME `x`"}\n'
        binary = bytes([0, 10, 13, 10, 255, 0, 0x80, 10])
        self.write("payment.json", json_body)
        self.write("a body, with $(signs).bin", binary)
        self.write("large", b"\xff\n" * 600_000)
        self.write("empty", b"")
        odd = "/a/../b/./%2e%2e/[1]{2}?q=$HOME&x='y'\"z\"`\\%20*!&&=?;"
        cases = [
            (["GET", "/v1/whoami"], "/v1/whoami", b""),
            (["get", ""], "/", b""),
            (["GET", "?limit=1"], "/?limit=1", b""),
            (["GET", odd], odd, b""),
            (["GET", "/%7e/~?%c3%A9=+&&a"], "/%7e/~?%c3%A9=+&&a", b""),
            (["HEAD", "/x"], "/x", b""),
            (["DELETE", "/x?"], "/x?", b""),
            (["POST", "/v1/payments/1/cancel"], "/v1/payments/1/cancel", b""),
            (["POST", "/empty", "empty"], "/empty", b""),
            (["POST", "/v1/payments", "payment.json"], "/v1/payments", json_body),
            (["PATCH", "/large", "large"], "/large", b"\xff\n" * 600_000),
            (["DELETE", "/body", "payment.json"], "/body", json_body),
            (["PUT", "/binary", "a body, with $(signs).bin"], "/binary", binary),
        ]
        with Server() as server:
            for (method, path, *file), target, body in cases:
                done = self.run_script(method, server.origin + path, *file)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, b"HTTP status 200\n")
                self.assertRegex(done.stdout, rb"\AHTTP/1.1 200 " if method == "HEAD" else rb'\A{"ok":true}\Z')
                request = server.requests[-1]
                self.assertEqual((request.method, request.target, request.body), (method.upper(), target, body))
                self.assert_signed(request, server.origin)
                expected = ["application/json"] if body else None
                self.assertEqual(request.headers.get("content-type"), expected)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("tmp.")], [])

    def test_headers_and_standard_input(self):
        with Server() as server:
            url = f"{server.origin}/"
            headers = ["-H", "Idempotency-Key: 1", "--header", "content-type: text/plain"]
            self.run_script(*headers, "POST", url, "-", stdin=b"from\0a pipe\n")
            self.run_script("POST", url, "private.pem", CONTENT_TYPE="application/x-pem")
            first, second = server.requests
        self.assertEqual(first.body, b"from\0a pipe\n")
        self.assertEqual(first.headers["content-type"], ["text/plain"])
        self.assertEqual(first.headers["idempotency-key"], ["1"])
        self.assertEqual(second.headers["content-type"], ["application/x-pem"])
        for request in (first, second):
            self.assert_signed(request, server.origin)

    def test_no_redirect_is_followed_whatever_curl_is_set_to(self):
        self.write(".curlrc", "location\nheader = X-From-Curlrc: 1\n")
        with Server() as other, Server([(302, {"Location": f"{other.origin}/"}, b"")]) as server:
            done = self.run_script("GET", f"{server.origin}/")
            self.assertEqual(done.stderr, b"HTTP status 302\n")
            self.assertEqual(other.requests, [])
            self.assertNotIn("x-from-curlrc", server.requests[0].headers)

    def test_refusals(self):
        problem = self.refusal(403, "permission_denied", reason='needs "payments:write"', detail="Ask \x1b for a role.")
        with Server([problem]) as server:
            done = self.run_script("GET", f"{server.origin}/")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, problem[2])
        self.assertEqual(
            done.stderr.decode().split("\n"),
            [
                "HTTP status 403",
                'permission_denied: needs "payments:write"',
                "Advice: Ask \\u001b for a role.",
                "Request ID: request_1",
                "",
            ],
        )

    def test_errors_of_the_api_are_its_own(self):
        own = json.dumps({"type": "https://shop.example/out_of_stock", "code": "out_of_stock"}).encode()
        plain = self.refusal(401, "created_expired", ahead=3600)[2]
        answers = [
            (409, {"Content-Type": "application/problem+json"}, own),
            (401, {"Content-Type": "application/json"}, plain),
            (500, {"Content-Type": "text/plain"}, b"oops"),
        ]
        with Server(answers) as server:
            for status, _, body in answers:
                done = self.run_script("GET", f"{server.origin}/")
                self.assertEqual((done.returncode, done.stdout), (1, body))
                self.assertEqual(done.stderr, f"HTTP status {status}\n".encode())
            self.assertEqual(len(server.requests), 3)

    def test_the_clock_is_corrected_once(self):
        for code in ("created_expired", "created_in_future", "date_mismatch"):
            refusal = self.refusal(401, code, ahead=3600)
            with Server([refusal, (200, {}, b"ok"), refusal, refusal]) as server:
                done = self.run_script("POST", f"{server.origin}/", "private.pem")
                self.assertEqual((done.returncode, done.stdout), (0, b"ok"), done.stderr)
                created = [self.assert_signed(request, server.origin) for request in server.requests]
                self.assertAlmostEqual(created[1] - created[0], 3600, delta=120)
                done = self.run_script("POST", f"{server.origin}/", "private.pem")
                self.assertEqual(done.returncode, 1)
                self.assertIn(code.encode(), done.stderr)
                self.assertEqual(len(server.requests), 4)

    def test_the_clock_is_not_corrected(self):
        for answer in (
            self.refusal(401, "created_expired", ahead=86_400 + 3600),
            self.refusal(401, "created_in_future", ahead=-86_400 - 3600),
            self.refusal(401, "signature_invalid", ahead=3600),
            self.refusal(401, "created_expired", serverTime="tomorrow"),
            self.refusal(401, "created_expired"),
        ):
            with Server([answer]) as server:
                self.assertEqual(self.run_script("GET", f"{server.origin}/").returncode, 1)
                self.assertEqual(len(server.requests), 1)

    def test_no_answer(self):
        self.assertEqual(self.run_script("GET", "http://127.0.0.1:9/").returncode, 7)

    # --- Never the same signature twice ---

    def test_equal_requests_get_later_seconds(self):
        url = "https://api.example.com/"
        folder = self.folder / "seconds"
        options = {"COUNTERSIGN_NOW": str(NOW), "SHARED_FOLDER": str(folder)}
        body = str(self.write("body", "{}"))

        def sign(*arguments):
            _, headers, _ = self.dry_run(*arguments, **options)
            return int(re.search(r";created=(\d+);", headers["Signature-Input"])[1])

        self.assertEqual([sign("DELETE", url) for _ in range(3)], [NOW, NOW + 1, NOW + 2])
        self.assertEqual(sign("PUT", url), NOW)
        self.assertEqual(sign("DELETE", f"{url}?x"), NOW)
        # Services accept equal reads.
        self.assertEqual([sign(method, url) for method in ("GET", "get", "HEAD", "OPTIONS")], [NOW] * 4)
        self.assertEqual(sign("POST", url, body), NOW)
        digest = base64.b64encode(hashlib.sha256(b"{}").digest()).decode()
        hashed = hashlib.sha256(f"{CLIENT_ID}\0POST\0{url}\0sha-256=:{digest}:".encode()).hexdigest()[:32]
        self.assertIn(f"{hashed}.{NOW}", self.seconds_in(folder))
        hashed = hashlib.sha256(f"{CLIENT_ID}\0DELETE\0{url}\0".encode()).hexdigest()[:32]
        for second in range(NOW, NOW + 31):
            (folder / f"{hashed}.{second}").touch()
        self.assert_stops("too_many_equal_requests", "more than 30", "--dry-run", "DELETE", url, **options)

    def test_a_request_waits_for_a_second_of_its_own(self):
        url = "https://api.example.com/"
        folder = self.folder / "seconds"
        folder.mkdir()
        hashed = hashlib.sha256(f"{CLIENT_ID}\0DELETE\0{url}\0".encode()).hexdigest()[:32]
        start = int(time.time())
        for second in range(start, start + 33):
            (folder / f"{hashed}.{second}").touch()
        _, headers, _ = self.dry_run("DELETE", url, SHARED_FOLDER=str(folder))
        self.assertGreaterEqual(int(re.search(r";created=(\d+);", headers["Signature-Input"])[1]), start + 33)

    def test_a_read_that_was_refused_as_a_replay_is_sent_in_another_second(self):
        for method in ("GET", "HEAD"):
            with Server([self.refusal(401, "signature_replayed"), (200, {}, b"ok")]) as server:
                done = self.run_script(method, f"{server.origin}/")
                self.assertEqual(done.returncode, 0, done.stderr)
                created = [self.assert_signed(request, server.origin) for request in server.requests]
                self.assertEqual(len(created), 2)
                self.assertGreater(created[1], created[0])
        with Server([self.refusal(401, "signature_replayed")]) as server:
            self.assertEqual(self.run_script("DELETE", f"{server.origin}/").returncode, 1)
            self.assertEqual(len(server.requests), 1)

    def test_processes_at_the_same_time(self):
        with ThreadPoolExecutor(8) as pool:
            runs = pool.map(lambda _: self.dry_run("DELETE", "http://h/", COUNTERSIGN_NOW=str(NOW)), range(24))
        self.assertEqual(len({headers["Signature"] for _, headers, _ in runs}), 24)
        folder = self.folder / f"countersign-{os.geteuid()}"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertEqual(len(self.seconds_in(folder)), 24)

    def test_the_default_folder_must_be_private(self):
        folder = self.folder / f"countersign-{os.geteuid()}"
        folder.mkdir(mode=0o700)
        folder.chmod(0o770)
        self.assert_stops("signing_failed", "mode 0700", "--dry-run", "GET", "http://h/")
        folder.rmdir()
        (self.folder / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(self.folder / "elsewhere")
        self.assert_stops("signing_failed", "mode 0700", "--dry-run", "GET", "http://h/")
        folder.unlink()
        folder.touch()
        self.assert_stops("signing_failed", "SHARED_FOLDER", "--dry-run", "GET", "http://h/")
        if os.geteuid() == 0:
            folder.unlink()
            folder.mkdir(mode=0o700)
            os.chown(folder, 65534, 65534)
            self.assert_stops("signing_failed", "mode 0700", "--dry-run", "GET", "http://h/")

    def test_old_files_are_deleted(self):
        folder = self.folder / "seconds"
        folder.mkdir()
        ages = {"a" * 32 + ".1": 600, "b" * 32 + ".1": 300, "notes": 600}
        for name, age in ages.items():
            (folder / name).touch()
            os.utime(folder / name, (time.time() - age,) * 2)
        self.dry_run("GET", "http://h/", SHARED_FOLDER=str(folder))
        names = self.seconds_in(folder)
        self.assertNotIn("a" * 32 + ".1", names)
        self.assertIn("b" * 32 + ".1", names)
        self.assertIn("notes", names)

    # --- Keys ---

    def test_keys_of_every_form(self):
        pem = KEYS["rsa-2048-a"]["privateKeyPem"]
        pkcs1 = self.convert("rsa", "-traditional")
        encrypted = self.convert("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:correct horse")
        old = self.convert("rsa", "-aes128", "-traditional", "-passout", "pass:correct horse")
        self.write("passphrase", "correct horse\nsecond line\n")
        self.write("passphrase-without-line-end", "correct horse")
        wanted = self.dry_run("GET", "http://h/", COUNTERSIGN_NOW=str(NOW), SHARED_FOLDER="none")
        for key in (pem, pkcs1, self.bare(pem), self.bare(pem).replace("\n", "") + "\n", self.bare(pkcs1)):
            self.assertEqual(self.sign_with(key), wanted)
        for key in (encrypted, self.bare(encrypted), old):
            self.assertEqual(self.sign_with(key, PASSPHRASE="correct horse"), wanted)
            for file in ("passphrase", "passphrase-without-line-end"):
                self.assertEqual(self.sign_with(key, PASSPHRASE_FILE=file), wanted)

    def sign_with(self, key, **options):
        self.write("key", key)
        options = {"COUNTERSIGN_NOW": str(NOW), "SHARED_FOLDER": "none", **options}
        by_file = self.dry_run("GET", "http://h/", PRIVATE_KEY_FILE="key", **options)
        by_text = self.dry_run("GET", "http://h/", PRIVATE_KEY_FILE=None, PRIVATE_KEY=key, **options)
        self.assertEqual(by_file, by_text)
        return by_file

    def test_keys_that_cannot_be_used(self):
        pem = KEYS["rsa-2048-a"]["privateKeyPem"]
        encrypted = self.convert("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:correct horse")
        for key, says, options in (
            ("", "there is no key in the text", {}),
            (pem.replace("BEGIN", "BEGIN OPENSSH"), "ssh-keygen -p -m PKCS8", {}),
            ("secret!", "neither PEM nor Base64", {}),
            ("AAAA", "set PASSPHRASE_FILE", {}),
            (pem[:900], "damaged or incomplete", {}),
            (pem + pem, "more than one key", {}),
            (KEYS["rsa-2048-a"]["publicKeyPem"], "public key", {}),
            (KEYS["ec-p256"]["privateKeyPem"], "must be RSA", {}),
            (KEYS["rsa-pss-2048"]["privateKeyPem"], "must be RSA", {}),
            (KEYS["rsa-2048-e3"]["privateKeyPem"], "65537", {}),
            (KEYS["rsa-1024-weak"]["privateKeyPem"], "at least 2048 bits", {}),
            (encrypted, "set PASSPHRASE_FILE", {}),
            (encrypted, "passphrase is wrong", {"PASSPHRASE": "hunter2"}),
            (encrypted, "cannot be read", {"PASSPHRASE_FILE": "missing"}),
        ):
            self.write("key", key)
            self.assert_stops("private_key_invalid", says, "GET", "http://h/", PRIVATE_KEY_FILE="key", **options)
        for options, says in (
            ({"PRIVATE_KEY_FILE": None}, "set COUNTERSIGN_PRIVATE_KEY_FILE"),
            ({"COUNTERSIGN_PRIVATE_KEY": pem, "COUNTERSIGN_PRIVATE_KEY_FILE": "private.pem"}, "not both"),
            ({"COUNTERSIGN_PRIVATE_KEY_FILE": "missing.pem"}, "missing.pem cannot be read"),
            ({"PRIVATE_KEY": pem}, "not both"),
            ({"PRIVATE_KEY_FILE": "missing.pem"}, "missing.pem cannot be read"),
            ({"PRIVATE_KEY_FILE": "."}, "cannot be read"),
        ):
            self.assert_stops("private_key_invalid", says, "GET", "http://h/", **options)

    def test_secrets_reach_no_other_program(self):
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("curl", "date", "awk", "sed", "find", "mktemp", "cat"):
            real = shutil.which(name)
            spy = f'#!/bin/sh\nenv >> {self.folder}/seen\necho "$@" >> {self.folder}/seen\nexec {real} "$@"\n'
            self.write(f"programs/{name}", spy).chmod(0o700)
        key = self.convert("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:hunter2hunter2")
        for prefix in ("", "COUNTERSIGN_"):
            secrets = {f"{prefix}PRIVATE_KEY": key, f"{prefix}PASSPHRASE": "hunter2hunter2"}
            with Server() as server:
                done = self.run_script(
                    "GET", f"{server.origin}/", PATH=f"{programs}:{os.environ['PATH']}",
                    PRIVATE_KEY_FILE=None, **secrets,
                )  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr)
        seen = (self.folder / "seen").read_text()
        self.assertNotIn("hunter2", seen)
        self.assertNotIn("BEGIN", seen)

    # --- Arguments ---

    def test_arguments_that_are_wrong(self):
        url = "http://127.0.0.1:9/"
        self.write("body", "12345")
        for code, says, arguments, environment in (
            ("request_invalid", "call it with METHOD URL", [], {}),
            ("request_invalid", "call it with METHOD URL", ["GET", url, "a", "b"], {}),
            ("request_invalid", "no option --frob", ["--frob", "GET", url], {}),
            ("request_invalid", "give -H a header", ["-H"], {}),
            ("request_invalid", "Name: value", ["-H", "Name", "GET", url], {}),
            ("request_invalid", "Name: value", ["-H", "@file", "GET", url], {}),
            ("request_invalid", "without spaces", ["-H", "Signature : x", "GET", url], {}),
            ("request_invalid", "control character", ["-H", "A: b\nHost: c", "GET", url], {}),
            ("request_invalid", "is set by", ["-H", "SIGNATURE: x", "GET", url], {}),
            ("request_invalid", "is set by", ["-H", "host: x", "GET", url], {}),
            ("keyid_invalid", "set COUNTERSIGN_CLIENT_ID", ["GET", url], {"CLIENT_ID": None}),
            ("keyid_invalid", "characters", ["GET", url], {"CLIENT_ID": "a b"}),
            ("keyid_invalid", "characters", ["GET", url], {"CLIENT_ID": "a\nb"}),
            ("keyid_invalid", "characters", ["GET", url], {"CLIENT_ID": "é"}),
            ("keyid_invalid", "256", ["GET", url], {"CLIENT_ID": "a" * 257}),
            ("request_invalid", "single word", ["GET /x", url], {}),
            ("request_invalid", "single word", ["", url], {}),
            ("request_invalid", "percent-encode", ["GET", "http://h/a b"], {}),
            ("request_invalid", "percent-encode", ["GET", "http://h/ü"], {}),
            ("request_invalid", "percent-encode", ["GET", "http://h/a\nb"], {}),
            ("request_invalid", "fragment", ["GET", "http://h/a#b"], {}),
            ("request_invalid", "only a path", ["GET", "/v1/whoami"], {}),
            ("request_invalid", "must begin with", ["GET", "v1/whoami"], {"COUNTERSIGN_BASE_URL": "https://h"}),
            ("request_invalid", "must begin with", ["GET", "/v1"], {"COUNTERSIGN_BASE_URL": "api.example.com"}),
            ("request_invalid", "no query", ["GET", "/v1"], {"COUNTERSIGN_BASE_URL": "https://h/?a=1"}),
            ("request_invalid", "must begin with", ["GET", "file:///etc/passwd"], {}),
            ("request_invalid", "name a host", ["GET", "http:///x"], {}),
            ("request_invalid", "no user or password", ["GET", "http://user@h/"], {}),
            ("request_invalid", "lower case", ["GET", "http://Host/"], {}),
            ("request_invalid", "remove the port", ["GET", "http://h:80/"], {}),
            ("request_invalid", "remove the colon", ["GET", "http://h:/"], {}),
            ("request_invalid", "missing.json cannot be read", ["POST", url, "missing.json"], {}),
            ("request_invalid", "cannot be read", ["POST", url, "."], {}),
            ("request_invalid", "no body with HEAD", ["HEAD", url, "body"], {}),
            ("request_invalid", "true or false", ["GET", url], {"COVER_DATE": "no"}),
            ("request_invalid", "true or false", ["GET", url], {"NONCE": "1"}),
            ("request_invalid", "a number", ["POST", url, "body"], {"BODY_BYTES_MAX": "1k"}),
            ("body_too_large", "more than 4 bytes", ["POST", url, "body"], {"BODY_BYTES_MAX": "4"}),
        ):
            self.assert_stops(code, says, *arguments, **environment)
        self.assertEqual(sorted(os.listdir(self.folder)), ["body", "private.pem", "public.pem"], "nothing stays")

    def test_variables_of_countersign_win(self):
        key = KEYS["rsa-2048-b"]["privateKeyPem"]
        self.write("b.pem", key)
        other = {"COUNTERSIGN_CLIENT_ID": "b", "CLIENT_ID": None, "PRIVATE_KEY_FILE": None, "COUNTERSIGN_NOW": str(NOW)}
        headers = []
        for options in [
            {"PRIVATE_KEY_FILE": "b.pem", "COUNTERSIGN_CLIENT_ID": None, "CLIENT_ID": "b"},
            {"COUNTERSIGN_PRIVATE_KEY_FILE": "b.pem"},
            {"COUNTERSIGN_PRIVATE_KEY": key},
            {"COUNTERSIGN_PRIVATE_KEY": key, "PRIVATE_KEY_FILE": "private.pem", "CLIENT_ID": CLIENT_ID},
        ]:
            options = {**other, "SHARED_FOLDER": "none", **options}
            _, signed, _ = self.dry_run("GET", "http://h/", **options)
            headers.append(signed)
        self.assertIn('keyid="b"', headers[0]["Signature-Input"])
        self.assertEqual(headers, headers[:1] * 4)

    def test_a_path_is_added_to_the_base_url(self):
        for base, path, expected in [
            ("https://api.example.com", "/v1/x?a=1", "https://api.example.com/v1/x?a=1"),
            ("https://api.example.com/", "/v1", "https://api.example.com/v1"),
            ("http://h:8421/prefix/", "/v1", "http://h:8421/prefix/v1"),
        ]:
            first, _, base_lines = self.dry_run("GET", path, COUNTERSIGN_BASE_URL=base)
            self.assertIn(f'"@target-uri": {expected}\n', base_lines)
        first, *_ = self.dry_run("GET", "https://other/v1", COUNTERSIGN_BASE_URL="https://api.example.com")
        self.assertIn("https://other/v1", first)

    def test_help(self):
        done = self.run_script("--help", CLIENT_ID=None, PRIVATE_KEY_FILE=None)
        self.assertEqual(done.returncode, 0)
        names = set(re.findall(r"\$\{([A-Z_]{4,})[:}]", SCRIPT.read_text())) - {"TMPDIR"}
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertIn(name, done.stdout.decode())

    # --- Helpers ---

    def refusal(self, status, code, ahead=None, **members):
        if ahead is not None:
            members["serverTime"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + ahead))
        problem = {
            "type": f"https://api.example.com/docs/errors#{code}",
            "title": "A title",
            "status": status,
            "detail": "What to do.",
            "code": code,
            "requestId": "request_1",
            **members,
        }
        body = json.dumps(problem, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/problem+json"}
        if status == 401:
            headers["WWW-Authenticate"] = f'Signature error="{code}"'
        return status, headers, body

    def convert(self, *arguments):
        key = KEYS["rsa-2048-a"]["privateKeyPem"]
        return subprocess.run(["openssl", *arguments], input=key, capture_output=True, text=True, check=True).stdout

    def bare(self, pem):
        return "\n".join(line for line in pem.splitlines() if not line.startswith("-----"))


def load_tests(loader, _tests, _pattern):
    """Runs every test under each shell."""
    suite = unittest.TestSuite()
    for shell in SHELLS:
        case = type(f"{shell.capitalize()}Test", (ShellTest,), {"shell": shell})
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    unittest.main()
