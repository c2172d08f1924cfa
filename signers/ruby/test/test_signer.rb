# frozen_string_literal: true

require_relative 'test_helper'

class SignerTest < Test
  def signer(**options)
    super(now: -> { NOW + 0.25 }, **options)
  end

  Vectors.cases('positive').each do |example|
    define_method("test_signs #{example['id']} byte for byte") do
      given, expected = example['signer'].values_at('input', 'output')
      one = Countersign::Signer.new(client_id: given['keyid'],
                                    private_key: Vectors::KEYS[given['privateKey']]['privateKeyPem'])
      signed = one.sign(given['method'], given['url'], Vectors.body(example), created: given['created'], date: given['date'])
      assert_equal expected['signatureBase'], signed.signature_base
      assert_equal expected.values_at('contentDigest', 'signatureInput', 'signature'),
                   signed.headers.values_at('Content-Digest', 'Signature-Input', 'Signature')
      assert_equal given['date'], signed.headers['Date']
      assert_equal given['method'].upcase, signed.method
    end
  end

  def test_the_keyid_is_escaped
    signed = Countersign::Signer.new(client_id: 'a"b\\c', private_key: Vectors::PRIVATE_KEY).sign('GET', URL)
    assert_includes signed.headers['Signature-Input'], ';keyid="a\\"b\\\\c";'
    one = Countersign::Verifier.new(client_id: 'a"b\\c', public_key: Vectors::PUBLIC_KEY)
    assert_predicate one.verify('GET', URL, signed.headers), :ok?
  end

  def test_created_and_date_are_one_reading_of_the_clock_in_seconds
    readings = [NOW + 0.999, NOW + 500].each
    signed = Countersign::Signer.new(client_id: 'shop', private_key: Vectors::PRIVATE_KEY, now: -> { readings.next })
                                .sign('GET', URL)
    assert_equal NOW, signed.created
    assert_includes signed.headers['Signature-Input'], ";created=#{NOW};"
    assert_equal 'Mon, 06 Apr 2026 19:51:57 GMT', signed.headers['Date']
  end

  def test_the_bytes_of_a_body_are_signed_whatever_their_encoding
    digests = ['é', 'é'.b, "\xC3\xA9".dup.force_encoding('US-ASCII')].map do |body|
      signer.sign('POST', URL, body).headers['Content-Digest']
    end
    assert_equal 1, digests.uniq.length
    refute_equal digests.first, signer.sign('POST', URL, 'é'.encode('UTF-16LE')).headers['Content-Digest']
  end

  def test_an_empty_body_is_no_body
    [nil, ''].each do |body|
      signed = signer.sign('POST', URL, body)
      refute_includes signed.headers, 'Content-Digest'
      assert_includes signed.headers['Signature-Input'], 'sig=("@method" "@target-uri" "date");'
    end
  end

  def test_without_date
    signed = signer(cover_date: false).sign('GET', URL)
    refute_includes signed.headers, 'Date'
    assert_includes signed.headers['Signature-Input'], 'sig=("@method" "@target-uri");'
  end

  def test_each_signature_has_a_nonce_of_its_own
    one = signer(nonce: true)
    signed = Array.new(40) { one.sign('GET', URL) }
    assert_equal [NOW], signed.map(&:created).uniq
    assert_equal 40, signed.map { |request| request.headers['Signature'] }.uniq.length
    service = verifier(nonce: :required, now: -> { NOW })
    assert(signed.all? { |request| service.verify('GET', URL, request.headers).ok? })
  end

  def test_an_equal_request_waits_for_a_second
    now = NOW
    one = signer(now: -> { now })
    one.define_singleton_method(:wait_for_next_second) { now += 1 }
    assert_equal (NOW...NOW + 40).to_a, (Array.new(40) { one.sign('POST', URL, 'x').created })
    assert_equal NOW + 9, now
  end

  def test_equal_reads_share_a_second
    now = NOW.to_f
    with_monotonic(-> { now }) do
      one = signer(now: -> { now })
      %w[GET HEAD OPTIONS].each { |method| 50.times { assert_equal NOW, one.sign(method, URL).created } }
      # Two a second for five minutes.
      600.times { assert_equal (now += 0.5).floor, one.sign('GET', URL).created }
    end
  end

  def test_reads_share_seconds_again_some_time_after_one_was_rejected
    now = NOW
    one = signer(now: -> { now })
    assert one.change_second('GET', Struct.new(:code).new('signature_replayed'))
    assert_equal [NOW, NOW + 1, NOW + 2], (Array.new(3) { one.sign('GET', URL).created })
    now += 10
    assert_equal [now] * 3, (Array.new(3) { one.sign('GET', URL).created })
  end

  def test_reads_share_a_second_for_a_second_only
    elapsed = 0
    with_monotonic(-> { elapsed }) do
      assert_equal NOW, signer.sign('GET', URL).created
      elapsed = 1
      assert_equal NOW + 1, signer.sign('GET', URL).created
    end
  end

  def test_equal_requests_get_later_seconds_and_fail_above_thirty
    one = signer
    assert_equal (NOW..NOW + 30).to_a, (Array.new(31) { one.sign('POST', URL, 'x').created })
    waits = 0
    one.define_singleton_method(:wait_for_next_second) { waits += 1 }
    assert_code('too_many_equal_requests') { one.sign('POST', URL, 'x') }
    assert_equal 30, waits
    others = [['POST', URL, 'y'], ['PUT', URL, 'x'], ['POST', "#{URL}7", 'x']]
    assert_equal [NOW] * 3, (others.map { |request| one.sign(*request).created })
  end

  def test_signers_and_threads_of_a_process_share_the_memory
    signers = [signer, signer]
    threads = Array.new(6) { |index| Thread.new { Array.new(5) { signers[index % 2].sign('POST', URL).headers['Signature'] } } }
    assert_equal 30, threads.flat_map(&:value).uniq.length
  end

  def test_the_memory_forgets_after_the_window
    clock = 1000
    memory = Countersign::Seconds::ProcessMemory.new(-> { clock })
    taken = [0, 419, 421].map do |seconds|
      clock += seconds
      memory.take('a', NOW)
    end
    assert_equal [true, false, true], taken
  end

  def test_a_fixed_time_is_not_signed_twice
    one = signer
    one.sign('GET', URL, created: NOW)
    assert_code('request_invalid', /signed before/) { one.sign('GET', URL, created: NOW) }
  end

  def test_processes_share_a_folder
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'seconds')
      first = signer(shared_folder: path).sign('POST', URL, 'x')
      # The name is shared with signers in other languages.
      assert_equal ["68c30024014e3fcbce70540101ffc326.#{NOW}"], Dir.children(path)
      Countersign::Seconds::PROCESS_MEMORY.clear # as in another process
      assert_equal [NOW, NOW + 1], [first.created, signer(shared_folder: path).sign('POST', URL, 'x').created]
    end
  end

  def test_parallel_processes_never_sign_the_same
    Dir.mktmpdir do |folder|
      readers = Array.new(3) { fork_signer(folder, 8) }
      created = readers.flat_map { |reader| reader.read.split.map(&:to_i) }
      Process.waitall
      assert_equal (NOW..NOW + 23).to_a, created.sort
    end
  end

  def test_the_folder_forgets_old_files_of_its_own
    Dir.mktmpdir do |folder|
      ages = { "#{'a' * 32}.1" => 421, "#{'b' * 32}.1" => 300, 'notes' => 421 }
      ages.each do |name, age|
        File.write(File.join(folder, name), '')
        File.utime(Time.now - age, Time.now - age, File.join(folder, name))
      end
      signer(shared_folder: folder).sign('POST', URL)
      assert_equal %W[#{'b' * 32}.1 notes], Dir.children(folder).sort & ages.keys
    end
  end

  def test_a_folder_that_cannot_be_written_is_an_error
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'file')
      File.write(path, '')
      assert_code('signing_failed') { signer(shared_folder: path).sign('POST', URL) }
    end
  end

  [
    ['GET ', URL, /token/], ['', URL, /token/],
    ['GET', "#{URL}#part", /fragment/],
    ['GET', 'https://api.example.test', /path/], ['GET', 'https://api.example.test?x=1', /path/],
    ['GET', 'https://user:secret@api.example.test/', /user name/],
    ['GET', 'https://API.example.test/', /lower case/],
    ['GET', 'https://api.example.test:443/', /default port/],
    ['GET', 'http://api.example.test:80/', /default port/],
    ['GET', 'https:///path', /host/], ['GET', 'https://a.test\\b/', /host/],
    ['GET', '/v1/payments', %r{https://}], ['GET', 'ftp://a.test/', %r{https://}],
    ['GET', "#{URL}é", /percent-encoded/], ['GET', "#{URL} ", /percent-encoded/], ['GET', "#{URL}\n", /percent-encoded/],
    ['GET', "https://a.test/#{'a' * 8500}", /8492/]
  ].each_with_index do |(method, url, says), index|
    define_method("test_what_cannot_be_sent_unchanged_is_rejected_#{index}") do
      error = assert_code('request_invalid', says) { signer.sign(method, url) }
      refute_includes error.message, 'secret'
    end
  end

  def test_a_time_must_be_one_that_a_date_can_say
    [-1, 253_402_300_800, 1.5].each { |created| assert_code('request_invalid') { signer.sign('GET', URL, created: created) } }
  end

  def test_a_body_above_the_limit_is_an_error
    one = signer(body_bytes_max: 4)
    assert_equal '1234', one.sign('POST', URL, '1234').body
    assert_code('body_too_large', /body_bytes_max/) { one.sign('POST', URL, '123é') }
  end

  def test_a_body_must_be_a_string
    assert_code('request_invalid') { signer.sign('POST', URL, { amount: 1 }) }
  end

  def test_the_client_id_is_visible_ascii
    ['', 'my shop', 'é', 'x' * 257, "a\n", nil].each do |client_id|
      assert_code('keyid_invalid') { Countersign::Signer.new(client_id: client_id, private_key: Vectors::PRIVATE_KEY) }
    end
  end

  KEY = OpenSSL::PKey.read(Vectors::PRIVATE_KEY)
  AES = OpenSSL::Cipher.new('aes-256-cbc')

  {
    'PEM PKCS8' => [Vectors::PRIVATE_KEY, nil],
    'a passphrase that is not needed' => [Vectors::PRIVATE_KEY, 'not needed'],
    'CRLF and white space' => ["\n  #{Vectors::PRIVATE_KEY.gsub("\n", "\r\n")}", nil],
    'a byte order mark' => ["\uFEFF#{Vectors::PRIVATE_KEY.gsub("\n", "\r\n")}", nil],
    'PEM PKCS1' => [KEY.to_pem, nil],
    'bare PKCS8' => [[KEY.private_to_der].pack('m0'), nil],
    'bare PKCS1 in lines' => [[KEY.to_der].pack('m'), nil],
    'encrypted PKCS8' => [KEY.private_to_pem(AES, 'secret words'), 'secret words'],
    'encrypted PKCS1' => [KEY.to_pem(AES, 'secret words'), 'secret words'],
    'bare encrypted PKCS8' => [[KEY.private_to_der(AES, 'secret words')].pack('m0'), 'secret words'],
    'a key object' => [KEY, nil],
    'a function' => [->(bytes) { KEY.sign('SHA256', bytes) }, nil]
  }.each do |form, (key, passphrase)|
    define_method("test_a_key_as_#{form}") do
      signed = signer(private_key: key, passphrase: passphrase).sign('GET', URL)
      assert_predicate verifier(now: -> { NOW }).verify('GET', URL, signed.headers), :ok?
    end
  end

  {
    'nothing' => ['', nil, /no key in the text/],
    'a byte order mark' => ["\uFEFF\n", nil, /no key in the text/],
    'half a key' => [Vectors::PRIVATE_KEY[0, 900], nil, /damaged or incomplete/],
    'an OpenSSH key' => [Vectors::PRIVATE_KEY.gsub('BEGIN', 'BEGIN OPENSSH'), nil, /ssh-keygen -p -m PKCS8/],
    'no key at all' => ['no key at all', nil, /neither PEM nor Base64/],
    'a public key' => [Vectors::PUBLIC_KEY, nil, /public key/],
    'a public key object' => [OpenSSL::PKey.read(Vectors::PUBLIC_KEY), nil, /not a private key/],
    'two keys' => [Vectors::PRIVATE_KEY * 2, nil, /more than one/],
    'a damaged key' => [Vectors::PRIVATE_KEY.lines.values_at(0..4, 9..).flatten.join, nil, /damaged/],
    'an encrypted key' => [KEY.private_to_pem(AES, 'secret words'), nil, /passphrase/],
    'a bare encrypted key' => [[KEY.private_to_der(AES, 'secret words')].pack('m0'), nil, /encrypted/],
    'a wrong passphrase' => [KEY.private_to_pem(AES, 'secret words'), 'wrong', /passphrase/],
    'an EC key' => [Vectors::KEYS['ec-p256']['privateKeyPem'], nil, /not an RSA key/],
    'an Ed25519 key' => [Vectors::KEYS['ed25519']['privateKeyPem'], nil, /not an RSA key/],
    '1536 bits' => [Vectors::KEYS['rsa-1536']['privateKeyPem'], nil, /1536 bits/],
    '2047 bits' => [Vectors::KEYS['rsa-2047']['privateKeyPem'], nil, /2047 bits/],
    'the exponent 3' => [Vectors::KEYS['rsa-2048-e3']['privateKeyPem'], nil, /exponent/],
    'a PSS key' => [Vectors::KEYS['rsa-pss-2048']['privateKeyPem'], nil, /PSS/],
    'a number' => [7, nil, /must be/],
    'nil' => [nil, nil, /exactly one of private_key/]
  }.each do |form, (key, passphrase, says)|
    define_method("test_no_key_is_#{form}") do
      error = assert_code('private_key_invalid', says) do
        Countersign::Signer.new(client_id: 'shop', private_key: key, passphrase: passphrase)
      end
      refute_match(/MII|secret/, error.full_message)
    end
  end

  def test_a_function_that_fails_or_returns_no_signature
    [->(_) { raise IOError, 'vault' }, ->(_) { 'short' }, ->(_) {}].each do |key|
      assert_code('signing_failed') { signer(private_key: key).sign('GET', URL) }
    end
  end

  def test_a_key_file_is_followed
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'private.pem')
      File.write(path, Vectors::PRIVATE_KEY)
      one = Countersign::Signer.new(client_id: 'shop', private_key_file: path)
      assert_equal 'first', signed_by(one)
      File.write(path, Vectors::OTHER_PRIVATE_KEY[0, 300]) # half written
      sleep 0.6
      _, warning = capture_io { assert_equal 'first', signed_by(one) }
      assert_match(/previous key/, warning)
      refute_match(/MII/, warning)
      File.write(path, Vectors::OTHER_PRIVATE_KEY)
      wait_until { signed_by(one) == 'second' }
    end
  end

  def test_a_key_file_that_is_not_there
    assert_code('private_key_invalid', %r{/nonexistent/private.pem cannot be read: No such file}) do
      Countersign::Signer.new(client_id: 'shop', private_key_file: '/nonexistent/private.pem')
    end
  end

  VARIABLES = { 'COUNTERSIGN_CLIENT_ID' => 'shop', 'COUNTERSIGN_PRIVATE_KEY' => Vectors::PRIVATE_KEY }.freeze

  [
    [{}, 'keyid_invalid', 'COUNTERSIGN_CLIENT_ID'],
    [VARIABLES.merge('COUNTERSIGN_CLIENT_ID' => ''), 'keyid_invalid', 'COUNTERSIGN_CLIENT_ID'],
    [{ 'COUNTERSIGN_CLIENT_ID' => 'shop' }, 'private_key_invalid', 'COUNTERSIGN_PRIVATE_KEY_FILE'],
    [VARIABLES.merge('COUNTERSIGN_PRIVATE_KEY_FILE' => 'a.pem'), 'private_key_invalid', 'COUNTERSIGN_PRIVATE_KEY_FILE']
  ].each_with_index do |(environment, code, named), index|
    define_method("test_an_environment_that_cannot_be_used_#{index}") do
      error = assert_raises(Countersign::SigningError) { Countersign::Signer.from_environment(environment) }
      assert_equal code, error.code
      assert_includes error.message, named
      refute_match(/a\.pem|MII/, error.message)
    end
  end

  def test_the_environment_says_who_signs
    signed = Countersign::Signer.from_environment(VARIABLES, cover_date: false).sign('GET', URL)
    assert_nil signed.headers['Date']
    assert_includes signed.headers['Signature-Input'], ';keyid="shop";'

    Dir.mktmpdir do |folder|
      file = File.join(folder, 'private.pem')
      key = OpenSSL::PKey::RSA.new(Vectors::PRIVATE_KEY)
      File.write(file, key.private_to_pem(OpenSSL::Cipher.new('aes-256-cbc'), 'secret'))
      environment = { 'COUNTERSIGN_CLIENT_ID' => 'shop', 'COUNTERSIGN_PRIVATE_KEY' => '',
                      'COUNTERSIGN_PRIVATE_KEY_FILE' => file, 'COUNTERSIGN_PASSPHRASE' => 'secret' }
      one = Countersign::Signer.from_environment(environment).sign('PUT', URL)
      assert_predicate verifier.verify('PUT', URL, one.headers), :ok?
    end
  end

  def test_options_win_over_the_environment
    environment = { 'COUNTERSIGN_CLIENT_ID' => 'shop', 'COUNTERSIGN_PRIVATE_KEY_FILE' => 'missing.pem' }
    one = Countersign::Signer.from_environment(environment, client_id: 'other', private_key: Vectors::OTHER_PRIVATE_KEY)
    service = Countersign::Verifier.new(client_id: 'other', public_key: Vectors::OTHER_PUBLIC_KEY)
    assert_predicate service.verify('GET', URL, one.sign('GET', URL).headers), :ok?
    assert_raises(ArgumentError) { Countersign::Signer.from_environment(VARIABLES, nonces: true) }
  end

  def test_one_key_only
    assert_code('private_key_invalid', /exactly one of private_key/) do
      Countersign::Signer.new(client_id: 'shop', private_key: Vectors::PRIVATE_KEY, private_key_file: 'private.pem')
    end
  end

  def test_nothing_shows_the_key
    refute_match(/MII|PKey|@/, signer.inspect)
  end

  private

  def with_monotonic(clock)
    memory = Countersign::Seconds::PROCESS_MEMORY
    original = memory.instance_variable_get(:@clock)
    memory.instance_variable_set(:@clock, clock)
    yield
  ensure
    memory.instance_variable_set(:@clock, original)
    memory.instance_variable_set(:@forget_at, 0)
    memory.clear
  end

  def assert_code(code, says = //, &block)
    error = assert_raises(Countersign::SigningError, &block)
    assert_equal code, error.code
    assert_match says, error.message
    error
  end

  def fork_signer(folder, count)
    reader, writer = IO.pipe
    one = signer(shared_folder: folder)
    fork do
      reader.close
      writer.puts(Array.new(count) { one.sign('POST', URL).created })
      writer.close
      exit!(0)
    end
    writer.close
    reader
  end

  def signed_by(one)
    url = "#{URL}&n=#{Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)}"
    headers = one.sign('GET', url).headers
    first = Countersign::Verifier.new(client_id: 'shop', public_key: Vectors::PUBLIC_KEY)
    first.verify('GET', url, headers).ok? ? 'first' : 'second'
  end

  def wait_until
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
    until yield
      assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC), :<, deadline
      sleep 0.05
    end
  end
end
