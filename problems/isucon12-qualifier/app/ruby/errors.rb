module Isuports
  # An answer other than success. What is said in it is for the log; the client
  # gets an empty message unless it is told otherwise.
  class HttpError < StandardError
    attr_reader :status, :public_message

    def initialize(status, message, public_message: '')
      super(message)
      @status = status
      @public_message = public_message
    end
  end
end
