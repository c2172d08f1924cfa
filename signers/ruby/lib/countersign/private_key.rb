# frozen_string_literal: true

require 'openssl'
require_relative 'errors'
require_relative 'profile'
require_relative 'seconds'

module Countersign
  # Private keys: reading them from text, following a file, signing.
  module PrivateKey # :nodoc:
    CREATE_ONE = 'Create a key: openssl genrsa -out private.pem 3072'

    module_function

    # Returns what signs bytes with a key, whatever form the key has: an object with +call+.
    def signing_function(key, passphrase)
      key = read(key, passphrase) if key.is_a?(String)
      if key.is_a?(OpenSSL::PKey::PKey)
        check(key)
        ->(bytes) { key.sign('SHA256', bytes) }
      elsif key.respond_to?(:call)
        key
      else
        raise invalid('private_key must be PEM or Base64 text, an OpenSSL::PKey::RSA or something with "call"')
      end
    end

    # Reads one key: PKCS#8 or PKCS#1, PEM or bare Base64, encrypted or not.
    def read(text, passphrase)
      data = text.b.delete_prefix("\xEF\xBB\xBF".b).strip
      is_pem = data.include?('-----BEGIN')
      check_text(data, is_pem)
      raise invalid('the key is encrypted. Provide its passphrase') if data.include?('ENCRYPTED') && passphrase.nil?

      # Without a passphrase, OpenSSL would ask for one on the terminal.
      OpenSSL::PKey.read(is_pem ? data : der(data), passphrase.to_s)
    rescue OpenSSL::PKey::PKeyError
      problem = 'damaged, incomplete or encrypted'
      problem = 'damaged or incomplete' if is_pem && !data.include?('ENCRYPTED')
      problem = 'damaged, or the passphrase is wrong' unless passphrase.nil?
      raise invalid("the key is #{problem}. Use the whole key file"), cause: nil
    end

    # Names the usual mix-ups, which OpenSSL would only call unreadable.
    def check_text(data, is_pem)
      raise invalid('there is no key in the text') if data.empty?

      raise invalid('OpenSSH private keys are not supported. Convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key') if
        data.include?('-----BEGIN OPENSSH PRIVATE KEY-----')
      raise invalid('this is a public key or a certificate. Use the private key instead') if
        is_pem && !data.include?('PRIVATE KEY-----')
      raise invalid('the text contains more than one key') if data.scan('-----BEGIN').length > 1
    end

    def check(key)
      raise invalid("the key is restricted to RSA-PSS. #{CREATE_ONE}") if key.oid == 'RSASSA-PSS'
      raise invalid("the key is not an RSA key. #{CREATE_ONE}") unless key.is_a?(OpenSSL::PKey::RSA)
      raise invalid('this is not a private key. Use the private key instead') unless key.private?

      check_size(key)
    end

    def check_size(key)
      bits = key.n.num_bits
      allowed = Profile::MODULUS_BITS
      limits = "#{allowed.min} to #{allowed.max} are allowed"
      raise invalid("the key has #{bits} bits; #{limits}. #{CREATE_ONE}") unless allowed.cover?(bits)
      raise invalid("the key's public exponent is not #{Profile::EXPONENT}. #{CREATE_ONE}") unless key.e == Profile::EXPONENT
    end

    def der(data)
      data.gsub(/[ \t\r\n]/, '').unpack1('m0')
    rescue ArgumentError
      raise invalid('the text is neither PEM nor Base64. Use the whole key file'), cause: nil
    end

    def invalid(reason)
      SigningError.new('private_key_invalid', "The private key cannot be used: #{reason}.")
    end

    # A private key in a file. It takes a new key from the file without a restart.
    class FollowedFile
      CHECK_SECONDS = 0.5

      def initialize(path, passphrase)
        @path = path.to_s
        @passphrase = passphrase
        @mutex = Mutex.new
        @content = File.binread(@path)
        @function = PrivateKey.signing_function(@content, passphrase)
        @checked_at = Seconds.monotonic
      rescue SystemCallError => e
        raise PrivateKey.invalid("the file #{@path} cannot be read: #{e.class.new.message}")
      end

      # Signs bytes with the key that the file holds now.
      def call(bytes)
        current.call(bytes)
      end

      private

      def current
        @mutex.synchronize do
          if Seconds.monotonic - @checked_at >= CHECK_SECONDS
            @checked_at = Seconds.monotonic
            reload
          end
          @function
        end
      end

      def reload
        content = File.binread(@path)
        return if content == @content

        @function = PrivateKey.signing_function(content, @passphrase)
        @content = content
      rescue SystemCallError, SigningError => e
        # The file may be half written: the next check reads it again.
        warn("countersign: still signing with the previous key, the key file is unusable: #{e.message}")
      end
    end
  end
end
