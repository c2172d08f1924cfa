# frozen_string_literal: true

require_relative 'lib/countersign/version'

Gem::Specification.new do |spec|
  spec.name = 'countersign'
  spec.version = Countersign::VERSION
  spec.summary = 'Signs HTTP API requests with RSA signatures (RFC 9421)'
  spec.description = 'Faraday middleware and a Net::HTTP helper that sign requests for APIs behind Countersign.'
  spec.authors = ['The Countersign authors']
  spec.license = 'Apache-2.0'
  spec.required_ruby_version = '>= 3.0'
  spec.files = Dir['lib/**/*.rb', 'README.md']
  spec.metadata['rubygems_mfa_required'] = 'true'
end
