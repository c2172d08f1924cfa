# frozen_string_literal: true

require_relative 'errors'

module Countersign
  # Reads a signer's options from environment variables.
  module Environment # :nodoc:
    module_function

    # Returns what the environment says about the options that are not given.
    def options(environment, given)
      found = %i[client_id private_key_file private_key passphrase].to_h do |name|
        [name, environment["COUNTERSIGN_#{name.upcase}"]]
      end
      found.delete_if { |name, value| value.nil? || value.empty? || given.key?(name) }
      # A key that is given has nothing to do with the variables.
      found.delete_if { |name, _| name != :client_id } if given.key?(:private_key) || given.key?(:private_key_file)
      check(found.merge(given))
      found
    end

    def check(options)
      unless options[:client_id]
        raise SigningError.new('keyid_invalid', 'Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal.')
      end
      return if options.key?(:private_key) ^ options.key?(:private_key_file)

      raise SigningError.new('private_key_invalid',
                             'Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or ' \
                             'COUNTERSIGN_PRIVATE_KEY to the key itself.')
    end
  end
end
