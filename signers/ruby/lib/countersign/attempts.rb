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

    # Returns true if a request must not be repeated: it is not idempotent, and has no key.
    def self.needs_key?(method, key)
      !IDEMPOTENT.include?(method.to_s.upcase) && key.to_s.strip.empty?
    end

    attr_reader :idempotency_key

    def initialize
      @idempotency_key = SecureRandom.uuid
      @unknown = {}
    end

    # Begins an attempt, and refuses it if an earlier one may have been carried out.
    def start(method, url, key)
      return unless Attempts.needs_key?(method, key)
      raise RepeatNotSigned, method if @unknown[name(method, url)]

      @unknown[name(method, url)] = true
    end

    # Notes what a response says about the request.
    def answered(method, url, status, refusal)
      settle(method, url) if [307, 308].include?(status) || (refusal && !NO_PROOF.include?(refusal.code))
    end

    # Notes that a request was not carried out.
    def settle(method, url)
      @unknown.delete(name(method, url))
    end

    private

    def name(method, url)
      "#{method.to_s.upcase} #{url}"
    end
  end
end
