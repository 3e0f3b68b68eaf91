environment 'production'
port ENV.fetch('SERVER_APP_PORT', '3000')

workers 2
threads 0, 5
