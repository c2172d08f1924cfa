# frozen_string_literal: true

require 'securerandom'
require_relative 'errors'

module Countersign
  # The attempts of one call: what repeats a payment around the signing gets no second signature for it.
  class Attempts # :nodoc:
    IDEMPOTENCY_KEY = 'Idempotency-Key'
    # RFC 9110 section 9.2.2.
    IDEMPOTENT = %w[GET HEAD OPTIONS TRACE PUT DELETE].freeze
    # The request may have been carried out, whatever these codes say.
    NO_PROOF = %w[
      signature_replayed upstream_failed upstream_timeout outcome_unknown request_timeout internal_error
    ].freeze

    # What was sent and may have been carried out: with which key, and how often.
    Unknown = Struct.new(:key, :times)
    private_constant :Unknown

    # Returns true if a request must not be repeated: it is not idempotent, and has no key.
    def self.needs_key?(method, key)
      unsafe?(method) && key.to_s.strip.empty?
    end

    def self.unsafe?(method)
      !IDEMPOTENT.include?(method.to_s.upcase)
    end

    attr_reader :idempotency_key

    def initialize
      @idempotency_key = SecureRandom.uuid
      @unknown = {}
    end

    # Begins an attempt, and refuses it if an earlier one may have been carried out. Only the key of that one keeps the API
    # from doing it twice.
    def start(method, url, key)
      return unless Attempts.unsafe?(method)

      unknown = @unknown[name(method, url)] ||= Unknown.new(key, 0)
      raise RepeatNotSigned, method if unknown.times.positive? && (key.to_s.strip.empty? || key != unknown.key)

      unknown.times += 1
    end

    # Notes what a response says about the request.
    def answered(method, url, refusal)
      settle(method, url) if refusal && !NO_PROOF.include?(refusal.code)
    end

    # Notes that an attempt was not carried out. Earlier ones may have been.
    def settle(method, url)
      unknown = @unknown[name(method, url)]
      return if unknown.nil?

      unknown.times -= 1
      @unknown.delete(name(method, url)) if unknown.times.zero?
    end

    private

    def name(method, url)
      "#{method.to_s.upcase} #{url}"
    end
  end
end
