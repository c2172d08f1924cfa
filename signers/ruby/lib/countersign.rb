# frozen_string_literal: true

# Signs HTTP requests for APIs behind Countersign (RFC 9421, RSA).
#
# Signer signs. <tt>require 'countersign/faraday'</tt> and <tt>require 'countersign/net_http'</tt> use it in those HTTP
# clients. Verifier checks requests in the tests of your own program.
module Countersign
end

require_relative 'countersign/version'
require_relative 'countersign/errors'
require_relative 'countersign/signer'
require_relative 'countersign/verifier'
