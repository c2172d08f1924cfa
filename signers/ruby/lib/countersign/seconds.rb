# frozen_string_literal: true

require 'fileutils'
require 'openssl'

module Countersign
  # The memory of which requests were signed in which second. RSASSA-PKCS1-v1_5 is deterministic: two equal requests with
  # the same "created" have the same signature, and the service rejects the second one as a replay.
  module Seconds # :nodoc:
    # The service accepts a signature for 300 seconds, and 60 more if the clock was ahead.
    REMEMBER_SECONDS = 420

    # Returns the 32 hexadecimal digits that stand for a request, in files shared by all signers.
    def self.request_hash(keyid, method, url, digest)
      OpenSSL::Digest.hexdigest('SHA256', [keyid, method, url, digest.to_s].join("\0"))[0, 32]
    end

    def self.monotonic
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # The requests that this process signed, by second. Threads share it.
    class ProcessMemory
      Entry = Struct.new(:requests, :used_at)

      def initialize(clock = -> { Seconds.monotonic })
        @clock = clock
        @mutex = Mutex.new
        @seconds = {}
        @forget_at = 0
      end

      # Remembers a request in a second; false if it is there for longer than it may be shared.
      def take(request, second, shared_for: 0)
        @mutex.synchronize do
          now = @clock.call
          forget(now)
          entry = @seconds[second] ||= Entry.new({}, now)
          first_used_at = entry.requests[request]
          next now - first_used_at < shared_for if first_used_at

          entry.requests[request] = entry.used_at = now
          true
        end
      end

      # Forgets everything; for tests.
      def clear
        @mutex.synchronize { @seconds.clear }
      end

      private

      def forget(now)
        return if now < @forget_at

        @forget_at = now + 1
        @seconds.delete_if { |_, entry| now - entry.used_at > REMEMBER_SECONDS }
      end
    end

    # Shared by all signers of the process, because programs often create one for each request.
    PROCESS_MEMORY = ProcessMemory.new

    # A folder in which processes record what they signed: one file for each request and second.
    class SharedFolder
      FILE_NAME = /\A[0-9a-f]{32}\.[0-9]+\z/
      CLEAN_EVERY_SECONDS = 60

      def initialize(folder)
        @folder = folder.to_s
        @clean_at = 0
      end

      # Creates the file of a request and second; false if it exists.
      def take(request, second)
        FileUtils.mkdir_p(@folder, mode: 0o700)
        clean
        create(File.join(@folder, "#{request}.#{second}"))
      rescue SystemCallError => e
        raise SigningError.new('signing_failed',
                               "The shared folder cannot be written (#{e.class.name}). Let this process create files " \
                               'there, or leave out shared_folder if only one process signs.')
      end

      private

      def create(path)
        File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600) { true }
      rescue Errno::EEXIST
        false
      end

      def clean
        return if Seconds.monotonic < @clean_at

        @clean_at = Seconds.monotonic + CLEAN_EVERY_SECONDS
        Dir.each_child(@folder) { |name| delete_old(File.join(@folder, name)) if FILE_NAME.match?(name) }
      end

      def delete_old(path)
        File.delete(path) if Time.now - File.mtime(path) > REMEMBER_SECONDS
      rescue Errno::ENOENT
        # Another process was faster.
      end
    end
  end
end
