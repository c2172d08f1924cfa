# frozen_string_literal: true

require_relative 'test_helper'
require 'open3'

# The documents, the example and the list of codes.
class PackageTest < Test
  PACKAGE = File.expand_path('..', __dir__)
  README = File.read(File.join(PACKAGE, 'README.md'), encoding: 'UTF-8')
  EXAMPLE = File.join(PACKAGE, 'examples', 'first_request.rb')

  # The other sections are about the errors of operations, which are ordinary responses.
  REFUSING = [
    'Framing', 'The signature headers', 'The time', 'The caller', 'The body', 'An API behind the gateway',
    'The service itself'
  ].freeze

  def test_the_codes_are_those_of_the_documents
    errors = File.read(File.join(PACKAGE, '../../docs/errors.md'), encoding: 'UTF-8')
    sections = errors.split("\n## ").select { |section| REFUSING.include?(section.lines.first.chomp) }
    assert_equal REFUSING.length, sections.length
    assert_equal sections.join("\n").scan(/^### `([a-z_]+)`$/).flatten.sort, Countersign::SERVICE_CODES.to_a.sort
  end

  def test_the_gem_has_its_license_and_says_where_it_works
    gem = Gem::Specification.load(File.join(PACKAGE, 'countersign.gemspec'))
    assert_equal %w[LICENSE README.md lib/countersign.rb], gem.files & %w[LICENSE README.md lib/countersign.rb]
    assert_equal 'Apache-2.0', gem.license
    faraday = gem.dependencies.find { |one| one.name == 'faraday' }
    assert faraday.requirement.satisfied_by?(Gem::Version.new(Faraday::VERSION))
    refute faraday.requirement.satisfied_by?(Gem::Version.new('3.0.0'))
    assert_empty gem.runtime_dependencies
  end

  def test_the_readme_shows_the_example
    assert_includes README, File.read(EXAMPLE, encoding: 'UTF-8').gsub(/^(?=.)/, '   ')
  end

  def test_the_readme_tests_a_program
    program = README[%r{```ruby\n(require 'countersign'\nrequire 'countersign/faraday'\nrequire 'minitest.*?)```}m, 1]
    output, status = Open3.capture2e(*ruby, '-e', program)
    assert_predicate status, :success?, output
    assert_includes output, '1 runs, 1 assertions, 0 failures'
  end

  private

  def ruby
    ['ruby', '-W:no-deprecated', '-I', File.join(PACKAGE, 'lib')]
  end
end
