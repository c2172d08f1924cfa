# frozen_string_literal: true

require 'openssl'
require 'time'

module Countersign
  # The signing profile's facts and texts: component list, signature base, digest, date, limits.
  module Profile # :nodoc:
    LABEL = 'sig'
    ALGORITHM = 'rsa-v1_5-sha256'
    TARGET_URI_LENGTH_MAX = 8492
    SIGNATURE_FIELD_LENGTH_MAX = 4096
    KEYID_LENGTH_MAX = 256
    NONCE = /\A[!-~]{16,64}\z/
    MODULUS_BITS = (2048..8192)
    EXPONENT = 65_537
    # The last second of the year 9999, the last that an IMF-fixdate can represent.
    CREATED_MAX = 253_402_300_799

    DEFAULT_PORTS = { 'http' => ':80', 'https' => ':443' }.freeze

    METHOD_TOKEN = /\A[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}\z/
    VISIBLE_ASCII = /\A[!-~]+\z/

    module_function

    # Returns why a method or URL cannot be signed; nil if it can. The URL is compared as text, so it must be in the form
    # in which it is sent.
    def fault(method, url)
      return 'the method is not a token' unless METHOD_TOKEN.match?(method)

      scheme, separator, rest = url.partition('://')
      return 'the URL must start with https:// or http://' if separator.empty? || !%w[http https].include?(scheme)
      return "the URL has more than #{TARGET_URI_LENGTH_MAX} characters" if url.length > TARGET_URI_LENGTH_MAX

      text_fault(url.b, rest.b)
    end

    def text_fault(url, rest)
      return 'the URL has spaces or characters that must be percent-encoded' unless VISIBLE_ASCII.match?(url)
      return 'the URL has a fragment, which is never sent. Leave out the part from # on' if url.include?('#')

      authority = rest[%r{\A[^/?]*}]
      return 'the URL has no valid host' if authority.empty? || authority.include?('\\')
      return 'the URL has a user name or password. Leave out the part before @' if authority.include?('@')

      'the URL has no path. Write at least "/" after the host' unless rest[authority.length] == '/'
    end

    # Returns why a service would not recognize the host of a URL that can be signed.
    def host_fault(url)
      scheme, authority = url.match(%r{\A(https?)://([^/]*)}).captures
      return 'the URL has upper-case letters in its host. Write it in lower case' if authority.match?(/[A-Z]/)

      is_default = authority.end_with?(DEFAULT_PORTS.fetch(scheme))
      'the URL has the default port of its scheme. Leave it out, as HTTP clients do' if is_default
    end

    def keyid?(keyid)
      keyid.is_a?(String) && keyid.length <= KEYID_LENGTH_MAX && VISIBLE_ASCII.match?(keyid.b)
    end

    # Returns the Content-Digest field for a body (RFC 9530 section 2).
    def content_digest(body)
      "sha-256=:#{encode_base64(OpenSSL::Digest.digest('SHA256', body))}:"
    end

    # Returns canonical Base64, padded and on one line.
    def encode_base64(bytes)
      [bytes].pack('m0')
    end

    # Returns an IMF-fixdate (RFC 9110 section 5.6.7).
    def http_date(unix_seconds)
      Time.at(unix_seconds).httpdate
    end

    # Returns the covered components as Signature-Input lists them.
    def component_list(covers_digest, covers_date)
      names = ['@method', '@target-uri']
      names << 'content-digest' if covers_digest
      names << 'date' if covers_date
      "(#{names.map { |name| %("#{name}") }.join(' ')})"
    end

    # Returns the value of @signature-params (RFC 9421 section 2.3).
    def signature_params(components, created, keyid, nonce)
      escaped = keyid.gsub(/["\\]/) { |character| "\\#{character}" }
      params = %(#{components};created=#{created};keyid="#{escaped}";alg="#{ALGORITHM}")
      nonce ? %(#{params};nonce="#{nonce}") : params
    end

    # Returns the text to sign (RFC 9421 section 2.5): line feeds between lines, none at the end.
    def signature_base(method, url, digest, date, params)
      lines = [%("@method": #{method}), %("@target-uri": #{url})]
      lines << %("content-digest": #{digest}) if digest
      lines << %("date": #{date}) if date
      lines << %("@signature-params": #{params})
      lines.join("\n")
    end

    # Returns the URL that the service sees, from a request's scheme, its Host and its raw request target. The service knows
    # its host in lower case.
    def target_uri(scheme, authority, target)
      "#{scheme}://#{authority.downcase.delete_suffix(DEFAULT_PORTS.fetch(scheme))}#{target}"
    end
  end
end
