# frozen_string_literal: true

require 'openssl'
require 'time'
require_relative 'profile'
require_relative 'seconds'
require_relative 'signature_input'

module Countersign
  # What a service would answer, as far as the request alone decides. +code+ is one of the service's codes; nil if the
  # request is accepted.
  Verification = Struct.new(:code, :reason) do
    def ok?
      code.nil?
    end
  end

  # Checks what a service checks about a request alone, in the service's order: the fields, the time, the signature, the
  # digest and repetition. It knows one client, and neither network whitelists nor permissions. It is for tests of your own
  # program, not for protecting an API.
  class Verifier
    MAX_AGE_SECONDS = 300
    MAX_FUTURE_SECONDS = 60
    MAX_DATE_DIFFERENCE_SECONDS = 60
    EQUAL_READS_SECONDS = 2
    CONTENT_DIGEST = %r{\Asha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:\z}
    SAFE_METHODS = %w[GET HEAD OPTIONS].freeze
    private_constant :MAX_AGE_SECONDS, :MAX_FUTURE_SECONDS, :MAX_DATE_DIFFERENCE_SECONDS, :EQUAL_READS_SECONDS,
                     :CONTENT_DIGEST, :SAFE_METHODS

    # A check that failed.
    class Refused < StandardError # :nodoc:
      attr_reader :code

      def initialize(code, reason)
        super(reason)
        @code = code
      end
    end
    private_constant :Refused

    # [client_id] the only client that is accepted
    # [public_key] its key, as PEM or an OpenSSL::PKey::RSA
    # [accept_without_date] also accepts signatures without +date+
    # [nonce] +:off+, +:optional+ or +:required+
    # [now] the clock, in Unix seconds
    # [monotonic] a monotonic clock, in seconds
    #
    # Raises ArgumentError for a key that cannot be registered.
    def initialize(client_id:, public_key:, accept_without_date: false, nonce: :off, now: -> { Time.now.to_i },
                   monotonic: -> { Seconds.monotonic })
      @client_id = client_id
      @public_key = read_public_key(public_key)
      @accept_without_date = accept_without_date
      @nonce = nonce
      @now = now
      @monotonic = monotonic
      @used = {}
    end

    # Verifies one received request, and remembers its signature if it is accepted.
    #
    # +url+ is the URL as called: scheme and host of the service, then the raw request target. +headers+ are the header
    # lines as received: pairs, or a Hash. +body+ has the bytes as received.
    def verify(method, url, headers, body = nil)
      lines = Hash.new { |hash, name| hash[name] = [] }
      headers.each { |name, value| lines[name.downcase] << value.gsub(/\A[ \t]+|[ \t]+\z/, '') }
      check(method, url, lines, body.to_s)
      Verification.new
    rescue Refused => e
      Verification.new(e.code, e.message)
    end

    private

    def check(method, url, lines, body)
      fault = Profile.fault(method, url)
      raise Refused.new('request_malformed', fault) if fault

      input, signature = read_fields(lines)
      created, keyid = check_parameters(input.parameters)
      covers_date = check_components(input.components, !body.empty?)
      now = @now.call.floor
      check_created(created, now)
      date = check_date(lines, created) if covers_date
      digest = check_digest_form(lines) unless body.empty?
      check_signature(keyid, signature, Profile.signature_base(method, url, digest, date, input.params))
      refuse('components_invalid', '"date" is not covered') unless covers_date || @accept_without_date
      check_digest(digest, body)
      check_repetition(method, keyid, created, signature, now)
    end

    def refuse(code, reason)
      raise Refused.new(code, reason)
    end

    def only(lines, name, missing, repeated = missing)
      values = lines[name.downcase]
      refuse(missing, "the #{name} header is missing") if values.empty?
      refuse(repeated, "the #{name} header comes #{values.length} times") if values.length > 1
      values.first
    end

    def read_fields(lines)
      input_text = only(lines, 'Signature-Input', 'signature_missing')
      signature_text = only(lines, 'Signature', 'signature_missing')
      input = SignatureInput.read(input_text)
      refuse('signature_malformed', 'Signature-Input is not one member "sig" in canonical text') unless input
      signature = SignatureInput.read_signature(signature_text)
      refuse('signature_malformed', 'Signature is not one member "sig" with canonical Base64') unless signature
      [input, signature]
    end

    def check_parameters(parameters)
      created, keyid, alg, nonce = parameters.values_at('created', 'keyid', 'alg', 'nonce')
      refuse('parameters_invalid', '"created" must be an integer') unless created.is_a?(Integer)
      refuse('parameters_invalid', '"keyid" must be a string, the Client ID') unless Profile.keyid?(keyid)
      refuse('parameters_invalid', '"alg" must be a string') unless alg.is_a?(String)
      check_nonce(nonce)
      unknown = parameters.keys - %w[created keyid alg nonce]
      refuse('parameters_invalid', "unknown: #{unknown.join(', ')}") unless unknown.empty?
      refuse('algorithm_not_allowed', "alg must be #{Profile::ALGORITHM}") unless alg == Profile::ALGORITHM
      [created, keyid]
    end

    def check_nonce(nonce)
      if nonce.nil?
        refuse('parameters_invalid', '"nonce" is missing') if @nonce == :required
      elsif @nonce == :off
        refuse('parameters_invalid', '"nonce" is not allowed')
      elsif !nonce.is_a?(String) || !Profile::NONCE.match?(nonce)
        refuse('parameters_invalid', '"nonce" must have 16 to 64 characters')
      end
    end

    # Returns true if the components have "date".
    def check_components(components, has_body)
      return true if components == Profile.component_list(has_body, true)
      return false if components == Profile.component_list(has_body, false)

      refuse('components_invalid', "the covered components must be #{Profile.component_list(has_body, true)}")
    end

    def check_created(created, now)
      refuse('created_expired', "created is #{now - created} s old") if now - created > MAX_AGE_SECONDS
      refuse('created_in_future', "created is #{created - now} s ahead") if created - now > MAX_FUTURE_SECONDS
    end

    def check_date(lines, created)
      date = only(lines, 'Date', 'date_invalid')
      seconds = date_seconds(date)
      refuse('date_invalid', 'the Date header is not an IMF-fixdate') unless seconds
      apart = (seconds - created).abs
      refuse('date_mismatch', "#{apart} s between Date and created") if apart > MAX_DATE_DIFFERENCE_SECONDS
      date
    end

    def date_seconds(text)
      seconds = Time.httpdate(text).to_i
      # The parser reads obsolete forms too.
      seconds if Profile.http_date(seconds) == text
    rescue ArgumentError
      nil
    end

    def check_digest_form(lines)
      digest = only(lines, 'Content-Digest', 'digest_missing', 'digest_malformed')
      refuse('digest_malformed', 'Content-Digest is not one sha-256 digest') unless CONTENT_DIGEST.match?(digest)
      digest
    end

    def check_signature(keyid, signature, base)
      refuse('signature_invalid', "the keyid is not this client's") unless keyid == @client_id
      refuse('signature_invalid', 'the key did not make this signature') unless made_by_key?(signature, base)
    end

    def made_by_key?(signature, base)
      @public_key.verify('SHA256', signature, base)
    rescue OpenSSL::PKey::PKeyError
      false
    end

    def check_digest(digest, body)
      return if digest.nil? || digest == Profile.content_digest(body)

      refuse('digest_mismatch', "Content-Digest is not the digest of the #{body.bytesize} bytes")
    end

    def check_repetition(method, keyid, created, signature, now)
      @used.delete_if { |_, (used_created, _)| used_created < now - MAX_AGE_SECONDS }
      _, used_at = @used[[keyid, signature]] ||= [created, @monotonic.call, :first]
      return if @used[[keyid, signature]].delete(:first)
      return if SAFE_METHODS.include?(method) && @monotonic.call - used_at <= EQUAL_READS_SECONDS

      refuse('signature_replayed', 'this signature was used before')
    end

    def read_public_key(key)
      key = OpenSSL::PKey.read(key, '') if key.is_a?(String)
      raise ArgumentError, 'public_key is not an RSA key' unless key.is_a?(OpenSSL::PKey::RSA)
      raise ArgumentError, "public_key has #{key.n.num_bits} bits" unless Profile::MODULUS_BITS.cover?(key.n.num_bits)
      raise ArgumentError, "the exponent of public_key is not #{Profile::EXPONENT}" unless key.e == Profile::EXPONENT

      key
    rescue OpenSSL::PKey::PKeyError
      raise ArgumentError, 'public_key must be one public key in PEM', cause: nil
    end
  end
end
