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
  spec.files = Dir.glob(%w[lib/**/*.rb README.md LICENSE], base: __dir__)
  spec.extra_rdoc_files = %w[README.md LICENSE]
  spec.rdoc_options = ['--main', 'README.md']
  spec.metadata['rubygems_mfa_required'] = 'true'
  # Only programs that use Faraday need it.
  spec.add_development_dependency 'faraday', '>= 1.1', '< 3'
end
