"""Runs countersign.sh under each shell of this machine: dash and bash."""

import base64
import functools
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
# For each key: its algorithm, and how openssl verifies a signature.
DIGESTED = "dgst {} -verify public -signature signature base"
ALGORITHMS = {
    "rsa-2048-a": ("rsa-v1_5-sha256", DIGESTED.format("-sha256")),
    "ed25519": ("ed25519", "pkeyutl -verify -rawin -pubin -inkey public -sigfile signature -in base"),
    "ec-p256": ("ecdsa-p256-sha256", DIGESTED.format("-sha256")),
    "ec-p384": ("ecdsa-p384-sha384", DIGESTED.format("-sha384")),
}
ECDSA_BYTES = {"ec-p256": 64, "ec-p384": 96}
AGENTS = json.loads((VECTORS.parent / "web-bot-auth.json").read_text())
AGENT = "https://agent.example.test/keys.json"


def openssl(command, key=None, **options):
    return subprocess.run(["openssl", *command.split()], input=key, capture_output=True, check=True, **options).stdout


@functools.cache
def generate(command):
    return openssl(command).decode()


def der_of(signature):
    """ECDSA's r and s, one after the other, as DER."""
    half = len(signature) // 2
    numbers = b""
    for number in (signature[:half], signature[half:]):
        number = number.lstrip(b"\0")
        if number[0] >= 0x80:
            number = b"\0" + number
        numbers += bytes([2, len(number)]) + number
    return bytes([0x30, len(numbers)]) + numbers


class ShellTest(unittest.TestCase):
    shell = "sh"
    script = SCRIPT

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("private.pem", KEYS["rsa-2048-a"]["privateKeyPem"])

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
            [self.shell, str(self.script), *arguments],
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
        if (self.folder / "key").exists():
            for line in (self.folder / "key").read_text().splitlines():
                if len(line) > 16 and not line.startswith("-----"):
                    self.assertNotIn(line[:16], errors)

    def assert_verifies(self, base, signature_input, signature, key):
        """Checks that alg is the key's, and verifies with its algorithm, whatever alg says."""
        algorithm, verify = ALGORITHMS[key]
        self.assertIn(f';alg="{algorithm}"', signature_input)
        self.assertRegex(signature, r"\Asig=:[A-Za-z0-9+/]+={0,2}:\Z")
        signature = base64.b64decode(signature[5:-1])
        if key in ECDSA_BYTES:
            self.assertEqual(len(signature), ECDSA_BYTES[key])
            signature = der_of(signature)
        self.write("base", base)
        self.write("signature", signature)
        self.write("public", KEYS[key]["publicKeyPem"])
        openssl(verify, cwd=self.folder)

    def assert_signed(self, request, origin, key="rsa-2048-a"):
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
            rf'sig=\({names} "date"\);created=(\d+);keyid="{CLIENT_ID}";alg="{ALGORITHMS[key][0]}"', signature_input
        )
        self.assertIsNotNone(match, signature_input)
        self.assertEqual(date, time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(int(match[1]))))
        [signature] = request.headers["signature"]
        self.assert_verifies("\n".join(lines), signature_input, signature, key)
        return int(match[1])

    def seconds_in(self, folder):
        return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))

    # --- What is signed ---

    def accepted(self, part):
        cases = json.loads((VECTORS / f"{part}.json").read_text())["cases"]
        return [case for case in cases if case["expect"]["verdict"] == "accept"]

    def sign_vectors(self, cases):
        for name, key in KEYS.items():
            self.write(f"{name}.pem", key["privateKeyPem"])
        with ThreadPoolExecutor(2) as pool:
            yield from zip(cases, pool.map(self.sign_vector, cases))

    def test_vectors(self):
        for part, least in (("positive", 90), ("ed25519", 6)):
            cases = self.accepted(part)
            self.assertGreater(len(cases), least)
            for case, (first, headers, base) in self.sign_vectors(cases):
                with self.subTest(case["id"]):
                    wanted = case["signer"]["output"]
                    self.assertEqual(base, wanted["signatureBase"])
                    self.assertEqual(headers.get("Content-Digest"), wanted["contentDigest"])
                    self.assertEqual(headers["Signature-Input"], wanted["signatureInput"])
                    self.assertEqual(headers["Signature"], wanted["signature"])
                    self.assertEqual(headers["Date"], case["signer"]["input"]["date"])
                    given = case["signer"]["input"]
                    self.assertEqual(first, f"{given['method'].upper()} {given['url']}")

    def test_vectors_of_ecdsa(self):
        """Signs what the vectors sign. ECDSA signatures differ each time, so they are verified."""
        cases = self.accepted("ecdsa")
        self.assertGreater(len(cases), 12)
        for case in cases:
            request = case["request"]
            sent = {name.lower(): value for name, value in request["headers"]}
            match = re.search(r';created=(\d+);keyid="(.*)";alg=', sent["signature-input"])
            case["signer"] = {
                "input": {
                    "method": request["method"],
                    "url": request["url"],
                    "keyid": match[2],
                    "created": int(match[1]),
                    "date": sent["date"],
                    "privateKey": f"ec-{case['id'][6:10]}",
                }
            }
        for case, (_, headers, base) in self.sign_vectors(cases):
            with self.subTest(case["id"]):
                sent = {name.lower(): value for name, value in case["request"]["headers"]}
                for name in ("Signature-Input", "Date", "Content-Digest"):
                    self.assertEqual(headers.get(name), sent.get(name.lower()))
                key = case["signer"]["input"]["privateKey"]
                for signature in (headers["Signature"], sent["signature"]):
                    self.assert_verifies(base, headers["Signature-Input"], signature, key)

    def test_the_numbers_of_ecdsa(self):
        """An openssl that signs with prepared bytes."""
        fake = self.fake_openssl('case " $* " in *" -sign "*) cat > /dev/null; cp der "$8"; exit ;; esac')
        self.write("openssl", fake).chmod(0o700)
        options = {"PATH": f"{self.folder}:{os.environ['PATH']}", "PRIVATE_KEY_FILE": "key"}
        for key, size in ECDSA_BYTES.items():
            self.write("key", KEYS[key]["privateKeyPem"])
            one = bytes(size // 2 - 1) + b"\1"
            ones = b"\xff" * (size // 2)
            # Bytes that the shell's printf could take for something else.
            odd = b"%s\n\\\0'".ljust(size // 2, b"\0")
            for numbers in (one + one, one + ones, ones + one, odd + one, one + odd, bytes(range(1, size + 1))):
                self.write("der", der_of(numbers))
                _, headers, _ = self.dry_run("GET", "http://h/", **options)
                self.assertEqual(headers["Signature"], f"sig=:{base64.b64encode(numbers).decode()}:")
            three = der_of(one + one)
            for wrong in (
                b"",
                b"no DER",
                der_of(ones + ones)[:-1],
                der_of(b"\1" + ones + b"\1" + ones),
                b"\x30\x03\2\1\1",
                b"\x30\x09" + b"\2\1\1" * 3,
                b"\x30\x06\2\1\xff\2\1\1",
            ):
                self.write("der", wrong)
                self.assert_stops("signing_failed", "could not sign", "--dry-run", "GET", "http://h/", **options)

    def test_an_openssl_that_knows_no_ed25519(self):
        """OpenSSL 1.1.1 reads these keys, but its pkeyutl has no -rawin."""
        self.write("openssl", self.fake_openssl("[ $1 != pkeyutl ] || { echo unknown >&2; exit 1; }")).chmod(0o700)
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        options = {"PATH": f"{self.folder}:{os.environ['PATH']}", "PRIVATE_KEY_FILE": "key"}
        says = "use OpenSSL 3.0 or newer, or an "
        self.assert_stops("signing_failed", f"{says}RSA or ECDSA key", "--dry-run", "GET", "http://h/", **options)
        options.update(CLIENT_ID=None, COUNTERSIGN_SIGNATURE_AGENT=AGENT)
        self.assert_stops("signing_failed", f"{says}ECDSA P-256 key", "--dry-run", "GET", "http://h/", **options)

    def fake_openssl(self, line):
        return f'#!/bin/sh\n{line}\nexec {shutil.which("openssl")} "$@"\n'

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

    # --- Agents, by Web Bot Auth ---

    def sign_as_agent(self, *arguments, **environment):
        options = {"CLIENT_ID": None, "PRIVATE_KEY_FILE": "key", "COUNTERSIGN_SIGNATURE_AGENT": AGENT, **environment}
        return self.dry_run(*arguments, **options)

    def with_openssl(self, line):
        """The environment in which a line of shell runs before openssl."""
        self.write("openssl", self.fake_openssl(line)).chmod(0o700)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_vectors_of_agents(self):
        self.assertEqual(len(AGENTS["cases"]), AGENTS["count"])
        for case in AGENTS["cases"]:
            given, wanted = case["signer"]["input"], case["signer"]["output"]
            with self.subTest(case["id"]):
                self.write("key", KEYS[given["privateKey"]]["privateKeyPem"])
                # The script's signatures are valid for 300 seconds. A copy of it makes those of the vectors with other times.
                seconds = f"\nagent_seconds={given['expires'] - given['created']}\n"
                self.script = self.write("script", SCRIPT.read_text().replace("\nagent_seconds=300\n", seconds))
                file = [] if given["body"] is None else [str(self.write("body", given["body"]))]
                first, headers, base = self.sign_as_agent(
                    "--signature-agent", given["signatureAgent"], given["method"], given["url"], *file,
                    COUNTERSIGN_SIGNATURE_AGENT=None,
                    COUNTERSIGN_NOW=str(given["created"]),
                    **self.with_openssl(f'[ "$1 $2 $3" != "rand -base64 32" ] || {{ echo {given["nonce"]}; exit; }}'),
                )  # fmt: skip
                self.assertEqual(first, f"{given['method'].upper()} {given['url']}")
                self.assertEqual(base, wanted["signatureBase"])
                signature = headers.pop("Signature")
                expected = {
                    "Content-Digest": wanted["contentDigest"],
                    "Signature-Agent": wanted["signatureAgent"],
                    "Signature-Input": wanted["signatureInput"],
                }
                self.assertEqual(headers, {name: value for name, value in expected.items() if value})
                if given["privateKey"] == "ed25519":
                    self.assertEqual(signature, wanted["signature"])
                self.assert_verifies(base, headers["Signature-Input"], signature, given["privateKey"])

    def test_equal_requests_of_an_agent_differ_by_their_nonces(self):
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        bases = set()
        for _ in range(3):
            _, headers, base = self.sign_as_agent("DELETE", "http://h/", COUNTERSIGN_NOW=str(NOW))
            match = re.search(rf';created={NOW};expires={NOW + 300};.*;nonce="(.*)";tag=', headers["Signature-Input"])
            self.assertEqual(len(base64.b64decode(match[1], validate=True)), 32)
            bases.add(base)
        self.assertEqual(len(bases), 3)
        self.assertFalse((self.folder / f"countersign-{os.geteuid()}").exists(), "no second is taken")

    def test_the_keyid_of_an_agent_is_the_thumbprint(self):
        options = {"PASSPHRASE": "correct horse"}
        for name, thumbprint in AGENTS["thumbprints"].items():
            pem = KEYS[name]["privateKeyPem"]
            keys = [pem, self.bare(pem), self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout env:WORDS", name)]
            if name == "ec-p256":
                for option in ("-conv_form compressed", "-conv_form hybrid", "-no_public", "-aes128 -passout env:WORDS"):
                    keys.append(self.convert(f"ec {option}", name))
            for key in keys:
                self.write("key", key)
                _, headers, base = self.sign_as_agent("GET", "http://h/", **options)
                self.assertIn(f';keyid="{thumbprint}";alg="{ALGORITHMS[name][0]}";', headers["Signature-Input"])
                self.assert_verifies(base, headers["Signature-Input"], headers["Signature"], name)

    def test_a_key_file_of_an_agent_that_is_replaced(self):
        """While the script runs, too: keyid, alg and signature are of one key."""
        names = ["ed25519", "ec-p256", "ed25519"]
        self.write("key", KEYS[names[0]]["privateKeyPem"])
        for name, other in zip(names, names[1:]):
            self.write("other", KEYS[other]["privateKeyPem"])
            options = self.with_openssl(f"cp {self.folder}/other {self.folder}/key")
            _, headers, base = self.sign_as_agent("GET", "http://h/", **options)
            self.assertEqual((self.folder / "key").read_text(), KEYS[other]["privateKeyPem"])
            self.assertIn(f';keyid="{AGENTS["thumbprints"][name]}";', headers["Signature-Input"])
            self.assert_verifies(base, headers["Signature-Input"], headers["Signature"], name)

    def test_what_an_agent_cannot_sign(self):
        self.write("good", KEYS["ed25519"]["privateKeyPem"])
        self.write("p384.pem", KEYS["ec-p384"]["privateKeyPem"])
        self.write("weak.pem", KEYS["rsa-1024-weak"]["privateKeyPem"])
        agent = {"COUNTERSIGN_SIGNATURE_AGENT": AGENT, "CLIENT_ID": None, "PRIVATE_KEY_FILE": "good"}
        get = ["--dry-run", "GET", "http://h/"]
        for code, says, arguments, environment in (
            ("keyid_invalid", "no Client ID", get, {"COUNTERSIGN_CLIENT_ID": CLIENT_ID}),
            *(
                ("private_key_invalid", "P-256 key here: create one with openssl ecparam -name", get, {"PRIVATE_KEY_FILE": file})
                for file in ("private.pem", "p384.pem", "weak.pem")
            ),
            *(
                ("request_invalid", "leave it out", ["-H", f"{name}: x", *get], {})
                for name in ("Signature-Agent", "SIGNATURE-AGENT", "Signature-Input", "signature")
            ),
            ("request_invalid", "leave it out", [*get[:1], "-H", "Signature-Agent: x", "--signature-agent", AGENT, *get[1:]], {}),
            ("request_invalid", "the https URL of a JWK Set", ["--signature-agent"], {}),
            ("signing_failed", "no nonce", get, self.with_openssl('[ "$1" != rand ] || exit 1')),
        ):
            self.assert_stops(code, says, *arguments, **{**agent, **environment})

    def test_urls_of_agents(self):
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        get = ["--dry-run", "GET", "http://h/"]
        longest = "https://h/".ljust(2048, "a")
        for url in [*AGENTS["signatureAgents"]["accepted"], longest]:
            _, headers, base = self.sign_as_agent("GET", "http://h/", COUNTERSIGN_SIGNATURE_AGENT=url)
            self.assertEqual(headers["Signature-Agent"], f'sig="{url}"')
            self.assertIn(f'"signature-agent";key="sig": "{url}"\n', base)
        own = ["https://h/\n", "https://h\nhttps://h/", "https://h:100000/"]
        own += ["http://localhost@h/", "http://127.0.0.10/", "http://localhost:0"]
        says = (
            "the signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and backslashes; "
            "http only for localhost\n"
        )
        for url in [*AGENTS["signatureAgents"]["refused"], *own, f"{longest}a"]:
            with self.subTest(url):
                options = {"CLIENT_ID": None, "PRIVATE_KEY_FILE": "key"}
                self.assert_stops("request_invalid", says, "--signature-agent", url, *get, **options)
                if url:
                    self.assert_stops("request_invalid", says, *get, **options, COUNTERSIGN_SIGNATURE_AGENT=url)

    def test_the_general_client_id_is_ignored_by_agents(self):
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        for client_id in (CLIENT_ID, "a b"):
            _, headers, _ = self.sign_as_agent("GET", "http://h/", CLIENT_ID=client_id)
            self.assertIn(f';keyid="{AGENTS["thumbprints"]["ed25519"]}";', headers["Signature-Input"])

    def test_an_agent_can_send_a_date(self):
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        options = {"CLIENT_ID": None, "PRIVATE_KEY_FILE": "key", "COUNTERSIGN_SIGNATURE_AGENT": AGENT}
        date = "Tue, 07 Apr 2026 00:00:00 GMT"
        with Server() as server:
            done = self.run_script("-H", f"Date: {date}", "GET", f"{server.origin}/", **options)
            [request] = server.requests
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(request.headers.pop("date"), [date])
        self.assert_signed_by_agent(request, server.origin, "ed25519", AGENTS["thumbprints"]["ed25519"])

    def test_signature_agent_is_a_header_like_any_other_without_the_profile(self):
        _, headers, base = self.dry_run("-H", "Signature-Agent: x", "GET", "http://h/")
        self.assertEqual(headers["Signature-Agent"], "x")
        self.assertNotIn("agent", base)

    def test_requests_of_an_agent_as_they_arrive(self):
        for key, thumbprint in AGENTS["thumbprints"].items():
            self.write("key", KEYS[key]["privateKeyPem"])
            options = {"CLIENT_ID": None, "PRIVATE_KEY_FILE": "key", "COUNTERSIGN_SIGNATURE_AGENT": AGENT}
            with Server([self.refusal(401, "created_expired", ahead=3600)]) as server:
                for method, *body in (["POST", "-"], ["GET"], ["GET"]):
                    done = self.run_script(method, f"{server.origin}/x?a=1", *body, stdin=b"{}", **options)
                    self.assertEqual(done.returncode, 0, done.stderr)
                requests, origin = server.requests, server.origin
            signed = [self.assert_signed_by_agent(request, origin, key, thumbprint) for request in requests]
            self.assertEqual([request.method for request in requests], ["POST", "POST", "GET", "GET"])
            # The clock was corrected, as with the other profile.
            self.assertAlmostEqual(signed[1][0] - signed[0][0], 3600, delta=120)
            self.assertEqual(len({nonce for _, nonce in signed}), 4)

    def assert_signed_by_agent(self, request, origin, key, thumbprint):
        names = ["@authority", "@method", "@target-uri"]
        values = [origin[len("http://") :], request.method, f"{origin}{request.target}"]
        if request.body:
            digest = base64.b64encode(hashlib.sha256(request.body).digest()).decode()
            self.assertEqual(request.headers["content-digest"], [f"sha-256=:{digest}:"])
            names.append("content-digest")
            values.append(f"sha-256=:{digest}:")
        else:
            self.assertNotIn("content-digest", request.headers)
        self.assertNotIn("date", request.headers)
        self.assertEqual(request.headers["signature-agent"], [f'sig="{AGENT}"'])
        [signature_input], [signature] = request.headers["signature-input"], request.headers["signature"]
        components = [f'"{name}"' for name in names] + ['"signature-agent";key="sig"']
        match = re.fullmatch(
            rf'sig=\({" ".join(components)}\);created=(\d+);expires=(\d+);keyid="{thumbprint}";'
            rf'alg="{ALGORITHMS[key][0]}";nonce="([A-Za-z0-9+/]{{43}}=)";tag="web-bot-auth"',
            signature_input,
        )
        self.assertIsNotNone(match, signature_input)
        self.assertEqual(int(match[2]) - int(match[1]), 300)
        lines = [f"{name}: {value}" for name, value in zip(components, [*values, f'"{AGENT}"'])]
        base = "\n".join([*lines, f'"@signature-params": {signature_input[4:]}'])
        self.assert_verifies(base, signature_input, signature, key)
        return int(match[1]), match[3]

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

    def test_keys_of_every_algorithm(self):
        for key in ALGORITHMS:
            self.write("key", KEYS[key]["privateKeyPem"])
            with Server([self.refusal(401, "created_expired", ahead=3600)]) as server:
                done = self.run_script("POST", f"{server.origin}/", "-", stdin=b"{}", PRIVATE_KEY_FILE="key")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(server.requests), 2)
                for request in server.requests:
                    self.assert_signed(request, server.origin, key)

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
        """One file after the other: each signature has the alg of the key that made it."""
        self.write("passphrase", "correct horse\nsecond line\n")
        self.write("passphrase-without-line-end", "correct horse")
        for name, old_form, curve in (
            ("rsa-2048-a", "rsa -traditional", None),
            ("ed25519", None, None),
            ("ec-p256", "ec", "prime256v1"),
            ("ec-p384", "ec", "secp384r1"),
        ):
            pem = KEYS[name]["privateKeyPem"]
            keys = [pem, pem.replace("\n", "\r\n"), self.bare(pem), self.bare(pem).replace("\n", "") + "\n"]
            keys += ["\ufeff" + pem, "\ufeff" + self.bare(pem)]
            encrypted = self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout env:WORDS", name)
            locked = [encrypted, self.bare(encrypted)]
            if old_form:
                old = self.convert(old_form, name)
                keys += [old, self.bare(old)]
                locked.append(self.convert(f"{old_form} -aes128 -passout env:WORDS", name))
            if curve:
                # As openssl ecparam -genkey writes them.
                parameters = generate(f"ecparam -name {curve}")
                keys += [parameters + old, old + parameters]
                locked.append(parameters + locked[-1])
                # The point compressed, or not there at all.
                for option in ("-conv_form compressed", "-no_public"):
                    short = self.convert(f"ec {option}", name)
                    keys += [short, self.bare(short)]
            for key in keys:
                self.sign_with(key, name)
            for key in locked:
                self.sign_with(key, name, PASSPHRASE="correct horse")
            for key in (pem, keys[-1]):
                self.sign_with(key, name, PRIVATE_KEY_FILE=None, PRIVATE_KEY=key)
            self.sign_with(locked[0], name, PASSPHRASE_FILE="passphrase")
            text = {"PRIVATE_KEY_FILE": None, "PRIVATE_KEY": locked[-1]}
            self.sign_with(locked[-1], name, PASSPHRASE_FILE="passphrase-without-line-end", **text)

    def sign_with(self, key, name, **options):
        self.write("key", key)
        options = {"SHARED_FOLDER": "none", "PRIVATE_KEY_FILE": "key", **options}
        _, headers, base = self.dry_run("GET", "http://h/", **options)
        self.assert_verifies(base, headers["Signature-Input"], headers["Signature"], name)

    def test_keys_that_cannot_be_used(self):
        pem = KEYS["rsa-2048-a"]["privateKeyPem"]
        encrypted = self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout env:WORDS")
        elliptic = KEYS["ec-p256"]["privateKeyPem"]
        named = "ecparam -name prime256v1"
        edwards = KEYS["ed25519"]["privateKeyPem"].encode()
        seed, point = (openssl(f"pkey -outform DER {option}", edwards)[-32:] for option in ("", "-pubout"))
        version_2 = bytes.fromhex("3051020101300506032b657004220420") + seed + b"\x81\x21\0" + point
        kinds = "not an RSA, Ed25519 or ECDSA key (P-256 or P-384)"
        for key in (
            KEYS["rsa-pss-2048"]["privateKeyPem"],
            generate("ecparam -name secp256k1 -genkey"),
            generate("ecparam -name secp521r1 -genkey -noout"),
            generate("genpkey -algorithm ed448"),
            generate("genpkey -algorithm x25519"),
            generate("dsaparam -genkey -noout 1024"),
        ):
            for form in (key,) if "DSA" in key else (key, self.bare(key.split("-----END EC PARAMETERS-----")[-1])):
                self.write("key", form)
                self.assert_stops("private_key_invalid", kinds, "GET", "http://h/", PRIVATE_KEY_FILE="key")
        for key, says, options in (
            ("", "there is no key in the text", {}),
            (pem.replace("BEGIN", "BEGIN OPENSSH"), "ssh-keygen -p -m PKCS8", {}),
            ("secret!", "neither PEM nor Base64", {}),
            ("AAAA", "set PASSPHRASE_FILE", {}),
            (pem[:900], "damaged or incomplete", {}),
            (pem + pem, "more than one key", {}),
            (KEYS["rsa-2048-a"]["publicKeyPem"], "public key", {}),
            (pem + elliptic, "more than one key", {}),
            (generate(named) * 2 + elliptic, "more than one key", {}),
            (generate(named), "there is no key in the text", {}),
            (KEYS["ed25519"]["publicKeyPem"], "public key", {}),
            (elliptic[:150], "damaged or incomplete", {}),
            (self.bare(elliptic)[:100], "damaged or incomplete", {}),
            (self.bare(KEYS["ed25519"]["privateKeyPem"])[:50], "damaged or incomplete", {}),
            # PKCS#8 of version 2 (RFC 5958), which has the public key, too.
            (base64.b64encode(version_2).decode(), "damaged or incomplete", {}),
            (KEYS["rsa-2048-e3"]["privateKeyPem"], "65537", {}),
            (KEYS["rsa-1024-weak"]["privateKeyPem"], "at least 2048 bits", {}),
            (KEYS["rsa-512-weak"]["privateKeyPem"], "at least 2048 bits", {}),
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

    def test_keys_whose_curve_is_written_out(self):
        """The message has a command that names the curve, and leaves an encrypted key encrypted."""
        options = {"PRIVATE_KEY_FILE": "key", "PASSPHRASE": "correct horse"}
        for name, curve in (("ec-p256", "prime256v1"), ("ec-p384", "secp384r1")):
            parameters = generate(f"ecparam -name {curve} -param_enc explicit")
            for form in ("uncompressed", "compressed"):
                old = self.convert(f"ec -param_enc explicit -conv_form {form}", name)
                pkcs8 = self.convert("pkcs8 -topk8 -nocrypt", old)
                locked = self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout env:WORDS", old)
                locked_old = self.convert(f"ec -aes128 -param_enc explicit -conv_form {form} -passout env:WORDS", name)
                bare = [self.bare(key) for key in (old, pkcs8, locked)]
                for key in (old, parameters + old, pkcs8, locked, locked_old, *bare):
                    self.write("key", key)
                    done = self.run_script("GET", "http://h/", **options)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    message = done.stderr.decode()
                    self.assertIn(": private_key_invalid: the private key writes out the parameters of its curve", message)
                    if not key.startswith("-----"):
                        continue
                    self.write("old.pem", key)
                    command = message.strip().split("convert it with ")[1]
                    command = command.replace(" ec ", " ec -passin env:WORDS ").replace("pkcs8 ", "pkcs8 -passout env:WORDS ")
                    environment = {**os.environ, "WORDS": "correct horse"}
                    subprocess.run(
                        [self.shell, "-c", command], cwd=self.folder, env=environment, capture_output=True, check=True
                    )
                    new = (self.folder / "new.pem").read_text()
                    self.assertEqual("ENCRYPTED" in new, "ENCRYPTED" in key)
                    self.sign_with(new, name, PASSPHRASE="correct horse")

    def test_private_halves_that_cannot_be_valid(self):
        for name, order in (
            ("ec-p256", 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551),
            ("ec-p384", (1 << 384) - 0x389CB27E0BC8D220A7E5F24DB74F58851313E695333AD68D),
        ):
            size = ECDSA_BYTES[name] // 2
            for option in ("", " -no_public"):
                der = openssl(f"ec -outform DER{option}", KEYS[name]["privateKeyPem"].encode())
                start = der.index(bytes([4, size])) + 2
                right = int.from_bytes(der[start : start + size], "big")
                for number in (0, right - 1, order, order + 1):
                    if option and number == right - 1:
                        continue  # without a public half, this is a key like any other
                    bare = base64.b64encode(der[:start] + number.to_bytes(size, "big") + der[start + size :]).decode()
                    pem = f"-----BEGIN EC PRIVATE KEY-----\n{bare}\n-----END EC PRIVATE KEY-----\n"
                    keys = [bare, pem]
                    if number == right - 1:
                        keys.append(self.convert("pkcs8 -topk8 -nocrypt", pem))
                        keys.append(self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout env:WORDS", pem))
                    for key in keys:
                        self.write("key", key)
                        options = {"PRIVATE_KEY_FILE": "key", "PASSPHRASE": "correct horse"}
                        says = "the private key is damaged"
                        self.assert_stops("private_key_invalid", says, "--dry-run", "GET", "http://h/", **options)

    def test_a_check_that_reports_with_text_alone(self):
        """OpenSSL 1.1.1 ends with the exit code 0 even if the key is invalid."""
        fake = self.fake_openssl('case " $* " in *" -check "*) cat > /dev/null; echo Key is invalid; exit ;; esac')
        self.write("openssl", fake).chmod(0o700)
        self.write("key", KEYS["ec-p256"]["privateKeyPem"])
        options = {"PATH": f"{self.folder}:{os.environ['PATH']}", "PRIVATE_KEY_FILE": "key"}
        self.assert_stops("private_key_invalid", "damaged", "--dry-run", "GET", "http://h/", **options)

    def test_secrets_reach_no_other_program(self):
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("curl", "date", "awk", "sed", "find", "mktemp", "cat"):
            real = shutil.which(name)
            spy = f'#!/bin/sh\nenv >> {self.folder}/seen\necho "$@" >> {self.folder}/seen\nexec {real} "$@"\n'
            self.write(f"programs/{name}", spy).chmod(0o700)
        # Only openssl gets the passphrase, in its environment. The key is in no file either.
        spy = f'{shutil.which("cat")} "$TMPDIR"/tmp.*/* >> {self.folder}/seen\necho "$@" >> {self.folder}/seen'
        self.write("programs/openssl", self.fake_openssl(spy)).chmod(0o700)
        for name in ALGORITHMS:
            key = self.convert("pkcs8 -topk8 -v2 aes-256-cbc -passout pass:hunter2hunter2", name)
            for prefix in ("", "COUNTERSIGN_"):
                secrets = {f"{prefix}PRIVATE_KEY": key, f"{prefix}PASSPHRASE": "hunter2hunter2"}
                with Server() as server:
                    done = self.run_script(
                        "GET", f"{server.origin}/", PATH=f"{programs}:{os.environ['PATH']}",
                        PRIVATE_KEY_FILE=None, **secrets,
                    )  # fmt: skip
                    self.assertEqual(done.returncode, 0, done.stderr)
        seen = (self.folder / "seen").read_text(errors="replace")
        self.assertIn('"@method": GET', seen)
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
            ("request_invalid", "Date is set by", ["-H", "date: x", "GET", url], {}),
            ("request_invalid", "Date is set by", ["-H", "DATE: x", "GET", url], {"COVER_DATE": "false"}),
            ("keyid_invalid", "set COUNTERSIGN_CLIENT_ID", ["GET", url], {"CLIENT_ID": None}),
            ("keyid_invalid", "or COUNTERSIGN_SIGNATURE_AGENT", ["GET", url], {"CLIENT_ID": None}),
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
        self.assertEqual(sorted(os.listdir(self.folder)), ["body", "private.pem"], "nothing stays")

    def test_the_longest_url(self):
        self.write("key", KEYS["ed25519"]["privateKeyPem"])
        longest = "http://h/".ljust(8492, "a")
        agent = {"CLIENT_ID": None, "PRIVATE_KEY_FILE": "key", "COUNTERSIGN_SIGNATURE_AGENT": AGENT}
        for options in ({}, agent):
            _, _, base = self.dry_run("GET", longest, **options)
            self.assertIn(f'"@target-uri": {longest}\n', base)
            # The path that is added counts.
            for url in (f"{longest}a", "http://h?".ljust(8492, "a")):
                self.assert_stops("request_invalid", "more than 8492 characters", "--dry-run", "GET", url, **options)

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

    def convert(self, command, key="rsa-2048-a"):
        """Passes a key, or the vectors' key of this name, through openssl."""
        pem = KEYS[key]["privateKeyPem"] if key in KEYS else key
        return openssl(command, pem.encode(), env={**os.environ, "WORDS": "correct horse"}).decode()

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
