# frozen_string_literal: true

require 'securerandom'
require_relative 'environment'
require_relative 'errors'
require_relative 'private_key'
require_relative 'profile'
require_relative 'seconds'

module Countersign
  # The headers of a signature. A request without a body has no Content-Digest.
  SIGNATURE_HEADERS = %w[Content-Digest Date Signature-Input Signature].freeze

  # A signed request. Send exactly this method, URL and body, with these headers.
  #
  # +body+ has the bytes that were signed, nil if there are none; +created+ is in Unix seconds; +signature_base+ is the
  # signed text, for comparison (RFC 9421 section 2.5).
  SignedRequest = Struct.new(:method, # rubocop:disable Lint/StructNewOverride
                             :url, :body, :headers, :created, :signature_base, keyword_init: true)

  # Signs requests of one client. Create it once; threads may share it.
  #
  #   signer = Countersign::Signer.new(client_id: 'client_…', private_key_file: 'private.pem')
  class Signer
    AHEAD_SECONDS_MAX = 30
    CORRECTION_SECONDS_MAX = 86_400
    # How often a request waits for the next second, when too many equal ones are ahead.
    WAITS_MAX = 30
    # How long each read gets a second of its own after one was rejected for sharing it. A read that came late is rejected for
    # that too, and nobody can poll twice a second for long with a second for each read.
    STRICT_SECONDS = 10
    # Services accept equal reads for two seconds, which leaves one for the way.
    EQUAL_READS_SECONDS = 1
    READS = %w[GET HEAD OPTIONS].freeze
    CLOCK_CODES = %w[created_expired created_in_future date_mismatch].freeze
    private_constant :AHEAD_SECONDS_MAX, :CORRECTION_SECONDS_MAX, :WAITS_MAX, :EQUAL_READS_SECONDS, :READS, :CLOCK_CODES

    attr_reader :client_id, :body_bytes_max

    # Creates a signer with COUNTERSIGN_CLIENT_ID, COUNTERSIGN_PRIVATE_KEY_FILE or COUNTERSIGN_PRIVATE_KEY, and
    # COUNTERSIGN_PASSPHRASE. +options+ are those of +new+, and win.
    #
    # Raises SigningError, which names the missing variable and repeats no value.
    def self.from_environment(environment = ENV, **options)
      new(**Environment.options(environment, options), **options)
    end

    # [client_id] the Client ID from the portal
    # [private_key] PEM or bare Base64 (PKCS#8 or PKCS#1), an OpenSSL::PKey::RSA, or something with +call+ that signs bytes
    #               (RSASSA-PKCS1-v1_5 with SHA-256), for keys in a vault or in hardware
    # [private_key_file] a file with the key instead. A new key takes effect within a second
    # [passphrase] the passphrase of an encrypted key
    # [cover_date] false leaves out Date, for clients that are registered to do without
    # [nonce] true adds a random nonce, for services that require one
    # [body_bytes_max] the largest body that is buffered for its digest
    # [shared_folder] a folder in which processes with the same key record which seconds they used
    # [raises_refusals] false returns refusals as ordinary responses
    # [idempotency_keys] true adds a random Idempotency-Key to each POST, PATCH and other request that is not idempotent,
    #                    unless it has one. Only for APIs that honor it
    # [now] the clock, in Unix seconds; for tests
    #
    # Raises SigningError (+keyid_invalid+, +private_key_invalid+).
    def initialize(client_id:, private_key: nil, private_key_file: nil, passphrase: nil, cover_date: true, nonce: false,
                   body_bytes_max: 10 * 1024 * 1024, shared_folder: nil, raises_refusals: true,
                   idempotency_keys: false, now: -> { Time.now.to_f })
      check_client_id(client_id)
      @client_id = client_id
      @sign_bytes = signing_function(private_key, private_key_file, passphrase)
      @cover_date = cover_date
      @nonce = nonce
      @body_bytes_max = body_bytes_max
      @shared_folder = shared_folder && Seconds::SharedFolder.new(shared_folder)
      @raises_refusals = raises_refusals
      @idempotency_keys = idempotency_keys
      @now = now
      @clock_difference = 0
      # Until then, the service is taken to accept equal reads once; learned from a refusal.
      @strict_until = nil
    end

    def raises_refusals?
      @raises_refusals
    end

    def idempotency_keys?
      @idempotency_keys
    end

    # Signs one request, and returns a SignedRequest. Equal requests within a second get a later +created+ and Date.
    #
    # Equal reads (GET, HEAD, OPTIONS) share a second instead, as services allow. When equal requests are 30 seconds ahead,
    # this waits for the next second, up to 30 seconds.
    #
    # +url+ is signed as it is: send that same text. +body+ is a String of bytes; nil or empty: no body. +created+ (Unix
    # seconds) and +date+ fix the time, for tests. Raises SigningError.
    def sign(method, url, body = nil, created: nil, date: nil)
      method = method.to_s
      fault = Profile.fault(method, url.to_s) || Profile.host_fault(url.to_s)
      raise SigningError.request_invalid(fault) if fault

      parts = [method.upcase(:ascii), url.to_s]
      body = body_bytes(body)
      digest = Profile.content_digest(body) unless body.nil? || body.empty?
      created = created.nil? ? take_second(*parts, digest) : take_fixed_second(*parts, digest, created)
      complete(parts, body, digest, created, @cover_date ? date || Profile.http_date(created) : nil)
    end

    # Takes over the service's clock if a refusal is about time; then sign and send once more. The HTTP clients' adapters
    # call it. Call it yourself only if you send requests yourself.
    def correct_clock(refusal)
      return false unless CLOCK_CODES.include?(refusal.code) && refusal.server_time

      difference = refusal.server_time.to_f - @now.call
      return false if difference.abs > CORRECTION_SECONDS_MAX

      @clock_difference = difference
      true
    end

    # Gives each read a second of its own for a while, if one was rejected for sharing it; then sign and send once more. The
    # HTTP clients' adapters call it. Call it yourself only if you send requests yourself.
    def change_second(method, refusal)
      return false unless refusal.code == 'signature_replayed' && READS.include?(method.to_s.upcase)

      @strict_until = @now.call + STRICT_SECONDS
      true
    end

    # Hides the key and everything that leads to it.
    def inspect
      "#<#{self.class.name} client_id=#{@client_id.inspect}>"
    end

    private

    def check_client_id(client_id)
      return if Profile.keyid?(client_id)

      raise SigningError.new('keyid_invalid', 'client_id must be the Client ID from the API Keys page: 1 to ' \
                                              "#{Profile::KEYID_LENGTH_MAX} visible ASCII characters without spaces.")
    end

    def signing_function(private_key, private_key_file, passphrase)
      if private_key.nil? == private_key_file.nil?
        raise SigningError.new('private_key_invalid', 'Set exactly one of private_key and private_key_file.')
      end

      return PrivateKey::FollowedFile.new(private_key_file, passphrase) if private_key_file

      PrivateKey.signing_function(private_key, passphrase)
    end

    def body_bytes(body)
      return if body.nil?
      raise SigningError.request_invalid('the body must be a String') unless body.is_a?(String)
      raise SigningError.body_too_large(@body_bytes_max) if body.bytesize > @body_bytes_max

      body.b
    end

    def take_second(method, url, digest)
      request = Seconds.request_hash(@client_id, method, url, digest)
      shared = READS.include?(method) && (@strict_until.nil? || @now.call >= @strict_until)
      (WAITS_MAX + 1).times do |waits|
        created = free_second(request, shared)
        return created if created

        wait_for_next_second if waits < WAITS_MAX
      end
      raise SigningError.new('too_many_equal_requests',
                             "More than #{AHEAD_SECONDS_MAX} identical requests ahead: at most one a second can be signed in " \
                             'the long run. Send fewer, or make them differ, for example by a query parameter.')
    end

    def free_second(request, shared)
      now = (@now.call + @clock_difference).floor
      # A nonce already makes every signature different.
      (now..now + AHEAD_SECONDS_MAX).find { |second| @nonce || (shared ? share(request, second) : take(request, second)) }
    end

    def share(request, second)
      Seconds::PROCESS_MEMORY.take(request, second, shared_for: EQUAL_READS_SECONDS)
    end

    def wait_for_next_second
      sleep(1 - (Time.now.to_f % 1))
    end

    def take_fixed_second(method, url, digest, created)
      unless created.is_a?(Integer) && created.between?(0, Profile::CREATED_MAX)
        raise SigningError.request_invalid('created must be whole Unix seconds')
      end
      return created if take(Seconds.request_hash(@client_id, method, url, digest), created)

      raise SigningError.request_invalid('it was signed before with the same created. Choose a later one')
    end

    def take(request, second)
      Seconds::PROCESS_MEMORY.take(request, second) && (@shared_folder.nil? || @shared_folder.take(request, second))
    end

    def complete((method, url), body, digest, created, date)
      components = Profile.component_list(!digest.nil?, !date.nil?)
      params = Profile.signature_params(components, created, @client_id, @nonce ? SecureRandom.urlsafe_base64(24) : nil)
      base = Profile.signature_base(method, url, digest, date, params)
      headers = {
        'Content-Digest' => digest,
        'Date' => date,
        'Signature-Input' => "#{Profile::LABEL}=#{params}",
        'Signature' => "#{Profile::LABEL}=:#{Profile.encode_base64(signature(base))}:"
      }.compact
      SignedRequest.new(method: method, url: url, body: body, headers: headers, created: created, signature_base: base)
    end

    def signature(base)
      signature = @sign_bytes.call(base)
      return signature if signature.is_a?(String) && signature.bytesize >= 256

      raise SigningError.new('signing_failed', 'private_key must return the bytes of an RSA signature from "call".')
    rescue SigningError
      raise
    rescue StandardError => e
      raise SigningError.new('signing_failed', "The private key did not sign (#{e.class.name}). Check the vault or device " \
                                               'that holds it.')
    end
  end
end
