require_relative 'app'

run Isuports::App
