# frozen_string_literal: true

require 'net/http'
require_relative '../countersign'
require_relative 'attempts'

module Countersign
  # Signs the requests of one Net::HTTP object, whichever of its methods sends them.
  #
  #   http = Net::HTTP.new('api.example.com', 443)
  #   http.use_ssl = true
  #   Countersign::NetHTTP.sign(http, signer)
  #   http.post('/v1/payments', '{"amount":1250}', 'Content-Type' => 'application/json')
  #
  # The signature covers the target and the bytes that are sent. Each attempt is signed again, the retries of Net::HTTP
  # included: it repeats none that could be carried out twice. Requests raise SigningError if they cannot be signed, and
  # RefusedError if the service rejects them.
  module NetHTTP
    # Makes an object sign its requests, and returns it.
    def self.sign(http, signer)
      http.extend(self)
      http.countersign_signer = signer
      http
    end

    attr_writer :countersign_signer # :nodoc:

    def request(request, body = nil)
      prepare_to_sign(request, body)
      return super(request) unless started? # It starts, and calls this again.

      repairs = %i[correct_clock change_second]
      loop do
        outcome = nil
        response = super(request) do |received|
          outcome = outcome_of(request, received, repairs)
          request.countersign_again if outcome == :again
          yield received if block_given? && outcome.nil?
        end
        raise outcome if outcome.is_a?(RefusedError)
        return response if outcome.nil?
      end
    end

    private

    # Returns the refusal to raise, :again if the request must be sent again, nil for responses to the caller. Each repair
    # is tried once.
    def outcome_of(request, response, repairs)
      refusal = refusal_in(request, response)
      return if refusal.nil?
      return :again if repair(request, refusal, repairs)

      refusal if @countersign_signer.raises_refusals? && !refusal.temporary?
    end

    def refusal_in(request, response)
      status = response.code.to_i
      return RefusedError.read_head(status, response, response) if request.method == 'HEAD'
      return unless RefusedError.problem?(status, response['Content-Type'])

      RefusedError.read(status, response['Content-Type'], response.read_body, response)
    end

    def repair(request, refusal, repairs)
      if repairs.include?(:correct_clock) && @countersign_signer.correct_clock(refusal)
        repairs.delete(:correct_clock)
      elsif repairs.include?(:change_second) && @countersign_signer.change_second(request.method, refusal)
        repairs.delete(:change_second)
      end
    end

    def prepare_to_sign(request, body)
      raise SigningError.request_invalid('its method must be in upper case') if request.method =~ /[a-z]/
      # It is encoded only while it is sent.
      raise SigningError.request_invalid('set_form encodes the body after signing. Set its body instead') if
        request.instance_variable_get(:@body_data)

      request.body = body if body
      read_stream(request) if request.body_stream
      request.extend(SelfSigning)
      request.countersign(@countersign_signer, use_ssl? ? 'https' : 'http')
    end

    def read_stream(request)
      limit = @countersign_signer.body_bytes_max
      bytes = request.body_stream.read(limit + 1).to_s
      raise SigningError.body_too_large(limit) if bytes.bytesize > limit

      request.body = bytes
      request.delete('Transfer-Encoding')
    end

    # A request that signs itself each time Net::HTTP writes it to a connection.
    module SelfSigning # :nodoc:
      def countersign(signer, scheme)
        @countersign_signer = signer
        @countersign_attempts = Attempts.new
        @countersign_scheme = scheme
        add_idempotency_key if signer.idempotency_keys?
      end

      def countersign_again
        @countersign_attempts = Attempts.new
      end

      # A program may send one request for several calls: the key of the last one is none of its own.
      def add_idempotency_key
        given = self[Attempts::IDEMPOTENCY_KEY]
        return unless Attempts.needs_key?(method, given) || (given && given == @countersign_key)

        self[Attempts::IDEMPOTENCY_KEY] = @countersign_key = @countersign_attempts.idempotency_key
      end

      def exec(socket, version, path)
        # Through a proxy, the path is the whole URL.
        proxied = path[%r{\Ahttp://[^/]*(/.*)\z}m, 1]
        url = Profile.target_uri(@countersign_scheme, self['Host'], proxied || path)
        @countersign_attempts.start(method, url, self[Attempts::IDEMPOTENCY_KEY])
        signed = @countersign_signer.sign(method, url, body)
        SIGNATURE_HEADERS.each { |name| delete(name) }
        signed.headers.each { |name, value| self[name] = value }
        super
      end
    end
  end
end
