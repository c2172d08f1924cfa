# frozen_string_literal: true

require_relative 'profile'

module Countersign
  # Strict readers for Signature-Input and Signature: one member "sig", canonical text.
  #
  # A structured field has one canonical text for each value (RFC 8941 section 4.1). The patterns match nothing else.
  module SignatureInput # :nodoc:
    # A value of another type than Integer, String, true and false, which the profile does not use.
    Other = Struct.new(:text)
    # +components+ is the text of the inner list, +params+ the value of @signature-params.
    Fields = Struct.new(:components, :parameters, :params)

    STRING = /"(?:[ !#-\[\]-~]|\\["\\])*"/
    DECIMAL = /(?!-0\.0(?![0-9]))-?(?:0|[1-9][0-9]{0,11})\.(?:[0-9]{0,2}[1-9]|0)/
    INTEGER = /(?:0|-?[1-9][0-9]{0,14})(?![0-9.])/
    TOKEN = %r{[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*}
    BYTES = %r{:[A-Za-z0-9+/=]*:}
    ITEM = /(?:#{STRING}|#{DECIMAL}|#{INTEGER}|#{TOKEN}|#{BYTES}|\?0)/
    KEY = /[a-z*][a-z0-9_.*-]*/
    PARAMETERS = /(?:;#{KEY}(?:=#{ITEM})?)*/
    PARAMETER = /;(#{KEY})(?:=(#{ITEM}))?/
    LIST = /\((?:#{ITEM}#{PARAMETERS}(?: #{ITEM}#{PARAMETERS})*)?\)/
    SIGNATURE_INPUT = /\Asig=(?<params>(?<list>#{LIST})(?<parameters>#{PARAMETERS}))\z/
    LIST_ITEM = /#{ITEM}(?<parameters>#{PARAMETERS})/
    SIGNATURE = %r{\Asig=:([A-Za-z0-9+/=]*):\z}

    module_function

    # Reads Signature-Input; nil for any other text.
    def read(text)
      return if text.length > Profile::SIGNATURE_FIELD_LENGTH_MAX

      match = SIGNATURE_INPUT.match(text)
      return unless match

      items = match[:list][1..-2].to_enum(:scan, LIST_ITEM).map { Regexp.last_match[:parameters] }
      return unless items.all? { |parameters| read_parameters(parameters) }

      parameters = read_parameters(match[:parameters])
      parameters && Fields.new(match[:list], parameters, match[:params])
    end

    # Reads Signature; nil for any other text.
    def read_signature(text)
      return if text.length > Profile::SIGNATURE_FIELD_LENGTH_MAX

      match = SIGNATURE.match(text)
      match && decode_base64(match[1])
    end

    # Reads parameters; nil if a name comes twice or a value is not canonical.
    def read_parameters(text)
      text.scan(PARAMETER).each_with_object({}) do |(name, item), parameters|
        value = item.nil? || read_item(item)
        return nil if parameters.key?(name) || value.nil?

        parameters[name] = value
      end
    end

    def read_item(text)
      case text
      when /\A"/ then text[1..-2].gsub(/\\(.)/) { Regexp.last_match(1) }
      when /\A-?[0-9]+\z/ then text.to_i
      when '?0' then false
      when /\A:/ then decode_base64(text[1..-2]) && Other.new(text)
      else Other.new(text)
      end
    end

    def decode_base64(text)
      bytes = text.unpack1('m0')
      # The decoder may ignore unused bits of the last character.
      bytes if Profile.encode_base64(bytes) == text
    rescue ArgumentError
      nil
    end
  end
end
