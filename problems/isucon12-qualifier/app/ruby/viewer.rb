require 'jwt'
require 'openssl'

require_relative 'errors'
require_relative 'rows'

module Isuports
  # Who sends a request, as far as the token proves it.
  Viewer = Struct.new(:role, :player_id, :tenant_name, :tenant_id)

  module Authentication
    COOKIE = 'isuports_session'.freeze

    ADMIN = 'admin'.freeze
    ORGANIZER = 'organizer'.freeze
    PLAYER = 'player'.freeze
    NONE = 'none'.freeze
    ROLES = [ADMIN, ORGANIZER, PLAYER].freeze

    # The operator's host is no tenant, but is treated like one.
    ADMIN_TENANT = TenantRow.new(0, 'admin', 'admin').freeze

    def parse_viewer
      token = request.cookies[COOKIE]
      raise HttpError.new(401, "no cookie #{COOKIE}") if token.nil? || token.empty?

      claims = decode_token(token)
      subject, role, audience = claims.values_at('sub', 'role', 'aud')
      raise HttpError.new(401, 'no subject in the token') unless subject.is_a?(String) && !subject.empty?
      raise HttpError.new(401, "unknown role #{role.inspect} in the token") unless ROLES.include?(role)
      raise HttpError.new(401, 'the token is not for one audience') unless audience.is_a?(Array) && audience.size == 1

      tenant = tenant_of_host or raise HttpError.new(401, 'unknown tenant')
      raise HttpError.new(401, 'not a token of an admin') if tenant.name == ADMIN && role != ADMIN
      raise HttpError.new(401, 'a token for another tenant') if tenant.name != audience.first

      Viewer.new(role, subject, tenant.name, tenant.id)
    end

    # The tenant that the Host header names; nil if there is none.
    def tenant_of_host
      name = request.env['HTTP_HOST'].to_s.delete_suffix(ENV.fetch('ISUCON_BASE_HOSTNAME', '.t.isucon.dev'))
      return ADMIN_TENANT if name == ADMIN

      row = admin_query('SELECT * FROM tenant WHERE name = ?', name).first
      row && TenantRow.new(row[:id], row[:name], row[:display_name])
    end

    def require_role(viewer, role)
      raise HttpError.new(403, "role #{role} is required") if viewer.role != role
    end

    # A player who looks must exist and must not be disqualified.
    def authorize_player(tenant_db, viewer)
      player = find_player(tenant_db, viewer.player_id)
      raise HttpError.new(401, 'the viewer is no player of this tenant') if player.nil?
      raise HttpError.new(403, 'the viewer is disqualified') if player.is_disqualified
    end

    private

    def decode_token(token)
      key = OpenSSL::PKey::RSA.new(File.read(ENV.fetch('ISUCON_JWT_KEY_FILE', '../public.pem')))
      begin
        JWT.decode(token, key, true, algorithm: 'RS256').first
      rescue StandardError => e # a header that is JSON but no object makes it a TypeError
        raise HttpError.new(401, "#{e.class}: #{e.message}")
      end
    end
  end
end
