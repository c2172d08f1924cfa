# frozen_string_literal: true

module Countersign
  VERSION = '0.1.0'
end
