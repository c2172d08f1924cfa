# frozen_string_literal: true

require 'json'
require 'time'
require_relative 'service_codes'

module Countersign
  # The base of all errors of this library.
  class Error < StandardError
    # The code to match on. Messages may change.
    attr_reader :code
  end

  # A request or key that cannot be used. Nothing was sent, or sent again. The code is one of CODES; the message says what
  # to do and never contains key material.
  class SigningError < Error
    CODES = %w[
      keyid_invalid private_key_invalid request_invalid body_too_large too_many_equal_requests signing_failed
      repeat_not_signed
    ].freeze

    def initialize(code, message)
      super(message)
      @code = code
    end

    def self.request_invalid(reason) # :nodoc:
      new('request_invalid', "This request cannot be signed: #{reason}.")
    end

    def self.body_too_large(limit) # :nodoc:
      new('body_too_large', "The body has more than #{limit} bytes. Send less at a time, or raise body_bytes_max: the " \
                            'whole body is kept in memory for its digest.')
    end
  end

  # A request was repeated that the API may have carried out already, such as a POST whose response was lost. It was not
  # signed again.
  class RepeatNotSigned < SigningError
    def initialize(method)
      super('repeat_not_signed',
            "This #{method.to_s.upcase} was sent once already, and it is not known whether the API carried it out. Signing " \
            'it again could carry it out twice, so it was not signed. Look up the outcome first, or send an ' \
            'Idempotency-Key that the API honors.')
    end
  end

  # The service rejected a request.
  class RefusedError < Error
    attr_reader :status, :title, :detail, :reason, :request_id, :server_time, :type

    # The whole problem document, as a Hash.
    attr_reader :problem
    # The HTTP client's response.
    attr_reader :response

    # Returns the service's refusal; nil for every other response, which is the API's own.
    def self.read(status, content_type, body, response = nil)
      return unless problem?(status, content_type)

      # Faraday's middleware may have parsed it.
      problem = body.is_a?(Hash) ? body : JSON.parse(body.to_s)
      new(status, problem, response) if problem.is_a?(Hash) && ours?(problem['code'], problem['type'])
    rescue JSON::ParserError, EncodingError
      nil
    end

    # Returns the service's refusal of a HEAD request, whose answer has no body, from its headers, of any letter case.
    def self.read_head(status, headers, response = nil)
      return unless problem?(status, headers['Content-Type'])

      code = headers['WWW-Authenticate'].to_s[/\ASignature error="([a-z_]+)"\z/, 1]
      new(status, { 'code' => code, 'serverTime' => date(headers['Date']) }, response) if SERVICE_CODES.include?(code)
    end

    def self.date(text)
      Time.httpdate(text).iso8601 if text
    rescue ArgumentError
      nil
    end
    private_class_method :date

    # The type is the page of the code. An API may use such a code in problem documents of its own.
    def self.ours?(code, type)
      SERVICE_CODES.include?(code) && type.to_s.end_with?("/docs/errors##{code}")
    end
    private_class_method :ours?

    # Returns true if a response may be a refusal, so that its body has to be read.
    def self.problem?(status, content_type)
      status >= 400 && content_type.to_s[/\A[^;]*/].strip.casecmp?('application/problem+json')
    end

    # Returns true if it stays a response, because the retries of HTTP clients know its status: 429 and 503.
    def temporary?
      [429, 503].include?(status)
    end

    def initialize(status, problem, response)
      @status = status
      @problem = problem
      @response = response
      @code, @title, @detail, @reason, @request_id, @type =
        problem.values_at('code', 'title', 'detail', 'reason', 'requestId', 'type').map { |text| text if text.is_a?(String) }
      @server_time = read_time(problem['serverTime'])
      super(["#{@code}:", *sentences, *hint, ("(#{@request_id})" if @request_id)].compact.join(' '))
    end

    private

    def sentences
      [@title, @reason, @detail].compact.reject(&:empty?).map { |text| text.end_with?('.', '!', '?') ? text : "#{text}." }
    end

    # A client may have repeated the request with its signature.
    def hint
      return [] unless @code == 'signature_replayed'

      ['The first request with this signature may have been accepted: look it up before sending again.']
    end

    def read_time(text)
      Time.iso8601(text) if text.is_a?(String)
    rescue ArgumentError
      nil
    end
  end

  RefusalError = RefusedError # :nodoc: its first name
end
