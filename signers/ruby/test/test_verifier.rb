# frozen_string_literal: true

require_relative 'test_helper'

class VerifierTest < Test
  # The codes that fit a class of the vectors.
  CODES = {
    'algorithm' => %w[algorithm_not_allowed],
    'components' => %w[components_invalid],
    'date_mismatch' => %w[date_mismatch],
    'date_window' => %w[date_mismatch],
    'digest_algorithm' => %w[digest_malformed],
    'digest_mismatch' => %w[digest_mismatch],
    'duplicate_header' => %w[signature_missing date_invalid digest_malformed],
    'in_future' => %w[created_in_future],
    'label' => %w[signature_malformed],
    'malformed_date' => %w[date_invalid],
    'malformed_digest' => %w[digest_malformed],
    'malformed_request' => %w[request_malformed],
    'malformed_signature' => %w[signature_malformed],
    'malformed_signature_input' => %w[signature_malformed],
    'missing_date' => %w[date_invalid],
    'missing_digest' => %w[digest_missing],
    'missing_signature' => %w[signature_missing],
    'missing_signature_input' => %w[signature_missing],
    'params' => %w[parameters_invalid],
    'signature_mismatch' => %w[signature_invalid],
    'too_old' => %w[created_expired],
    'unknown_client' => %w[signature_invalid],
    'weak_key' => %w[signature_invalid]
  }.freeze
  # keyid has visible characters only, which is checked before the client.
  EARLIER = { 'keyid/trailing-space' => %w[parameters_invalid] }.freeze

  Vectors.cases('positive').each do |example|
    define_method("test_accepts #{example['id']}") { assert_nil verdict(example).code }
  end

  %w[negative fuzz].each do |part|
    Vectors.cases(part).each do |example|
      define_method("test_rejects #{part} #{example['id']}") do
        assert_includes codes(example), verdict(example).code
      end
    end
  end

  def test_a_repeated_post_is_a_replay
    one = verifier
    signed = signer.sign('POST', URL, 'x')
    assert_predicate one.verify(signed.method, signed.url, signed.headers, signed.body), :ok?
    assert_equal 'signature_replayed', one.verify(signed.method, signed.url, signed.headers, signed.body).code
  end

  def test_an_equal_read_passes_for_two_seconds
    clock = 100
    one = verifier(monotonic: -> { clock })
    signed = signer.sign('GET', URL)
    codes = [0, 2, 0.1].map do |seconds|
      clock += seconds
      one.verify('GET', URL, signed.headers).code
    end
    assert_equal [nil, nil, 'signature_replayed'], codes
  end

  { off: ['parameters_invalid', nil], optional: [nil, nil], required: [nil, 'parameters_invalid'] }.each do |policy, expected|
    define_method("test_nonce_#{policy}") do
      codes = [true, false].map do |nonce|
        verifier(nonce: policy).verify('GET', URL, signer(nonce: nonce).sign('GET', URL).headers).code
      end
      assert_equal expected, codes
    end
  end

  def test_a_signature_without_date_needs_the_option
    signed = signer(cover_date: false).sign('PUT', URL, 'x')
    assert_equal 'components_invalid', verifier.verify('PUT', URL, signed.headers, 'x').code
    assert_predicate verifier(accept_without_date: true).verify('PUT', URL, signed.headers, 'x'), :ok?
  end

  %w[rsa-1024-weak rsa-2047 ec-p256 rsa-2048-e3].each do |name|
    define_method("test_the_key_#{name}_cannot_be_registered") do
      assert_raises(ArgumentError) do
        Countersign::Verifier.new(client_id: 'shop', public_key: Vectors::KEYS[name]['publicKeyPem'])
      end
    end
  end

  private

  def codes(example)
    EARLIER.fetch(example['id']) do
      [example['expect']['class'], *example['expect']['alsoOk']].flat_map { |name| CODES.fetch(name, []) }
    end
  end

  def verdict(example)
    request = example['request']
    one = verifier_of(example)
    # A key that cannot be registered is nobody's key.
    return Countersign::Verification.new('signature_invalid') unless one

    one.verify(request['method'], request['url'], request['headers'], Vectors.body(example))
  end

  def verifier_of(example)
    clients = example['verify']['clients'].to_h { |client| client.values_at('clientId', 'publicKey') }
    named = example['request']['headers'].join(' ')[/keyid="([^"]*)"/, 1]
    client_id = clients.key?(named) ? named : clients.keys.first
    Countersign::Verifier.new(client_id: client_id, public_key: Vectors::KEYS[clients[client_id]]['publicKeyPem'],
                              now: -> { example['verify']['now'] })
  rescue ArgumentError
    nil
  end
end
