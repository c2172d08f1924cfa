# frozen_string_literal: true

require 'faraday'
require_relative '../countersign'
require_relative 'attempts'

module Countersign
  # Faraday middleware that signs each request. Make it the last request middleware, right before the adapter:
  #
  #   connection = Faraday.new('https://api.example.com') do |builder|
  #     builder.request :countersign, signer
  #     builder.adapter :net_http
  #   end
  #
  # Instead of a signer, it takes the options of Signer.new, as in <tt>builder.request :countersign, client_id: 'client_…',
  # private_key_file: 'private.pem'</tt>, and without either, those of Signer.from_environment.
  #
  # The signature covers the final URL and body: Faraday has encoded and sorted the query by then. Middleware in front of
  # it that retries or follows redirects gets a new signature for each attempt, and none for another origin. Requests raise
  # SigningError if they cannot be signed, and RefusedError if the service rejects them. A retry of a POST, a PATCH or
  # another request that is not idempotent raises RepeatNotSigned if the first attempt may have been carried out, unless the
  # request has an Idempotency-Key.
  class FaradayMiddleware < ::Faraday::Middleware
    NOT_CONNECTED = [Errno::ECONNREFUSED, Errno::EHOSTUNREACH, Errno::ENETUNREACH, SocketError].freeze
    private_constant :NOT_CONNECTED

    def initialize(app, signer = nil, **options)
      super(app)
      unless signer.nil? || options.empty?
        raise ArgumentError, 'The options are those of a new signer. Pass a signer or options, not both.'
      end

      @signer = signer || (options.empty? ? Signer.from_environment : Signer.new(**options))
    end

    def call(env)
      return send_unsigned(env) if left_origin?(env)

      # Middleware that retries calls this again with the same env.
      attempts = env[:countersign_attempts] ||= Attempts.new
      add_idempotency_key(env, attempts) if @signer.idempotency_keys?
      send_and_correct_clock(env, attempts)
    end

    private

    # Middleware that follows redirects calls this again with the same values in env.
    def left_origin?(env)
      unless env.url.is_a?(URI::HTTP) && env.url.host
        raise SigningError.request_invalid('the URL must start with https:// or http:// and name a host')
      end

      origin = env[:countersign_origin] ||= origin_of(env.url)
      origin != origin_of(env.url)
    end

    def add_idempotency_key(env, attempts)
      return unless Attempts.needs_key?(env.method, env.request_headers[Attempts::IDEMPOTENCY_KEY])

      env.request_headers[Attempts::IDEMPOTENCY_KEY] = attempts.idempotency_key
    end

    def send_and_correct_clock(env, attempts)
      body = env[:body] = read_body(env)
      response, refusal = attempt(env, body, attempts)
      response, refusal = attempt(env, body, attempts) if refusal && @signer.correct_clock(refusal)
      response, refusal = attempt(env, body, attempts) if refusal && @signer.change_second(env.method, refusal)
      raise refusal if refusal && @signer.raises_refusals? && !refusal.temporary?

      response
    end

    def attempt(env, body, attempts)
      method = env.method
      url = env.url.to_s
      attempts.start(method, url, env.request_headers[Attempts::IDEMPOTENCY_KEY])
      response = send_signed(env, body)
      refusal = refusal_in(response)
      attempts.answered(method, url, refusal) if response.finished?
      [response, refusal]
    rescue RepeatNotSigned
      raise
    rescue SigningError
      attempts.settle(method, url)
      raise
    rescue ::Faraday::ConnectionFailed => e
      attempts.settle(method, url) if NOT_CONNECTED.any? { |kind| e.wrapped_exception.is_a?(kind) }
      raise
    end

    def send_unsigned(env)
      remove_signature(env)
      @app.call(env)
    end

    def send_signed(env, body)
      # After a response, env holds that one's body.
      env[:body] = body
      signed = @signer.sign(env.method.to_s, target_uri(env), body)
      remove_signature(env)
      env.request_headers.update(signed.headers)
      @app.call(env)
    end

    def remove_signature(env)
      SIGNATURE_HEADERS.each { |name| env.request_headers.delete(name) }
    end

    def read_body(env)
      body = env[:body]
      return body unless body.respond_to?(:read)

      limit = @signer.body_bytes_max
      bytes = body.read(limit + 1).to_s
      raise SigningError.body_too_large(limit) if bytes.bytesize > limit

      env.request_headers.delete('Transfer-Encoding')
      bytes
    end

    def target_uri(env)
      url = env.url
      Profile.target_uri(url.scheme, env.request_headers['Host'] || authority(url), url.request_uri)
    end

    def authority(url)
      "#{url.host}:#{url.port}"
    end

    def origin_of(url)
      [url.scheme, url.host.downcase, url.port]
    end

    # Parallel requests have no response yet: their refusals stay ordinary responses.
    def refusal_in(response)
      return unless response.finished?
      return RefusedError.read_head(response.status, response.headers, response) if response.env.method == :head

      RefusedError.read(response.status, response.headers['Content-Type'], response.body, response)
    end
  end
end

Faraday::Request.register_middleware(countersign: Countersign::FaradayMiddleware)
