require 'csv'
require 'json'
require 'logger'
require 'open3'
require 'sinatra/base'

require_relative 'billing'
require_relative 'databases'
require_relative 'errors'
require_relative 'viewer'

module Isuports
  # ISUPORTS: competitions of many tenants, each on its own host name.
  class App < Sinatra::Base
    include AdminDB
    include Authentication
    include Billing
    include TenantDB

    INITIALIZE_SCRIPT = '../sql/init.sh'.freeze
    TENANT_NAME = /\A[a-z][a-z0-9-]{0,61}[a-z0-9]\z/.freeze
    INT64 = (-(2**63)..2**63 - 1).freeze
    DUPLICATE_ENTRY = 1062

    TENANTS_PER_PAGE = 10
    RANKS_PER_PAGE = 100

    set :logging, Logger::DEBUG
    set :show_exceptions, false
    set :raise_errors, false
    # Whoever has a token may come from any page.
    disable :protection

    before do
      cache_control :private
    end

    error HttpError do
      error = env['sinatra.error']
      logger.debug("#{request.request_method} #{request.path}: #{error.status} #{error.message}")
      status error.status
      failure(error.public_message)
    end

    not_found do
      failure
    end

    error do
      error = env['sinatra.error']
      logger.error("#{request.request_method} #{request.path}: #{error.full_message(highlight: false)}")
      status 500
      failure
    end

    helpers do
      def success(data = nil)
        json(data.nil? ? { status: true } : { status: true, data: data })
      end

      def failure(message = '')
        json(status: false, message: message)
      end

      def json(body)
        content_type 'application/json; charset=UTF-8'
        JSON.generate(body)
      end

      # nil if the text is not a whole number of 64 bits.
      def parse_int64(text)
        number = text.match?(/\A[+-]?[0-9]+\z/) ? text.to_i : nil
        number if INT64.cover?(number)
      end
    end

    # ---- the operator ----

    post '/api/admin/tenants/add' do
      viewer = parse_viewer
      raise HttpError.new(404, "no such API at #{viewer.tenant_name}") if viewer.tenant_name != ADMIN

      require_role(viewer, ADMIN)
      name, display_name = params[:name].to_s, params[:display_name].to_s
      raise HttpError.new(400, "invalid tenant name #{name.inspect}") unless TENANT_NAME.match?(name)

      now = Time.now.to_i
      begin
        admin_query(
          'INSERT INTO tenant (name, display_name, created_at, updated_at) VALUES (?, ?, ?, ?)',
          name, display_name, now, now,
        )
      rescue Mysql2::Error => e
        raise unless e.error_number == DUPLICATE_ENTRY

        raise HttpError.new(400, "duplicate tenant #{name}")
      end
      id = admin_db.last_id
      create_tenant_db(id)
      success(tenant: { id: id.to_s, name: name, display_name: display_name, billing: 0 })
    end

    get '/api/admin/tenants/billing' do
      if request.env['HTTP_HOST'] != ENV.fetch('ISUCON_ADMIN_HOSTNAME', 'admin.t.isucon.dev')
        raise HttpError.new(404, 'not the host of the operator')
      end

      require_role(parse_viewer, ADMIN)
      before = params[:before].to_s.empty? ? 0 : parse_int64(params[:before])
      raise HttpError.new(400, 'before is not a number') if before.nil?

      tenants = []
      admin_query('SELECT * FROM tenant ORDER BY id DESC').each do |tenant|
        next if before != 0 && tenant[:id] >= before

        billing = with_tenant_db(tenant[:id]) do |tenant_db|
          billing_reports(tenant_db, tenant[:id]).sum { |report| report[:billing_yen] }
        end
        tenants << { id: tenant[:id].to_s, name: tenant[:name], display_name: tenant[:display_name], billing: billing }
        break if tenants.size >= TENANTS_PER_PAGE
      end
      success(tenants: tenants)
    end

    # ---- a tenant's organizer ----

    get '/api/organizer/players' do
      as_organizer do |viewer, tenant_db|
        players = tenant_db.execute('SELECT * FROM player WHERE tenant_id = ? ORDER BY created_at DESC', [viewer.tenant_id])
        success(players: players.map { |row| to_player(row).detail })
      end
    end

    post '/api/organizer/players/add' do
      as_organizer do |viewer, tenant_db|
        # Rack takes the brackets of the field's name display_name[] for a list.
        names = params[:display_name].is_a?(Array) ? params[:display_name] : []
        players = names.map do |name|
          id = dispense_id
          now = Time.now.to_i
          tenant_db.execute(
            'INSERT INTO player (id, tenant_id, display_name, is_disqualified, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
            [id, viewer.tenant_id, name.to_s, 0, now, now],
          )
          find_player(tenant_db, id).detail
        end
        success(players: players)
      end
    end

    post '/api/organizer/player/:player_id/disqualified' do
      as_organizer do |_, tenant_db|
        tenant_db.execute(
          'UPDATE player SET is_disqualified = ?, updated_at = ? WHERE id = ?',
          [1, Time.now.to_i, params[:player_id]],
        )
        player = find_player(tenant_db, params[:player_id]) or raise HttpError.new(404, 'unknown player')
        success(player: player.detail)
      end
    end

    post '/api/organizer/competitions/add' do
      as_organizer do |viewer, tenant_db|
        competition = CompetitionRow.new(dispense_id, params[:title].to_s, nil)
        now = Time.now.to_i
        tenant_db.execute(
          'INSERT INTO competition (id, tenant_id, title, finished_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
          [competition.id, viewer.tenant_id, competition.title, nil, now, now],
        )
        success(competition: competition.detail)
      end
    end

    post '/api/organizer/competition/:competition_id/finish' do
      as_organizer do |_, tenant_db|
        competition_of_path(tenant_db)
        now = Time.now.to_i
        tenant_db.execute(
          'UPDATE competition SET finished_at = ?, updated_at = ? WHERE id = ?',
          [now, now, params[:competition_id]],
        )
        success
      end
    end

    post '/api/organizer/competition/:competition_id/score' do
      as_organizer do |viewer, tenant_db|
        competition = competition_of_path(tenant_db)
        if competition.finished?
          raise HttpError.new(400, 'upload to a finished competition', public_message: 'competition is finished')
        end

        csv = uploaded_csv
        raise HttpError.new(400, 'wrong header of the CSV') if csv.shift != %w[player_id score]

        lock_tenant(viewer.tenant_id) do
          scores = csv.each_with_index.map { |row, row_num| check_score(tenant_db, row, row_num) }

          tenant_db.execute(
            'DELETE FROM player_score WHERE tenant_id = ? AND competition_id = ?',
            [viewer.tenant_id, competition.id],
          )
          scores.each do |score|
            now = Time.now.to_i
            tenant_db.execute(
              'INSERT INTO player_score (id, tenant_id, player_id, competition_id, score, row_num, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
              [score.id, viewer.tenant_id, score.player_id, competition.id, score.score, score.row_num, now, now],
            )
          end
          success(rows: scores.size)
        end
      end
    end

    get '/api/organizer/billing' do
      as_organizer do |viewer, tenant_db|
        success(reports: billing_reports(tenant_db, viewer.tenant_id))
      end
    end

    get '/api/organizer/competitions' do
      as_organizer do |viewer, tenant_db|
        success(competitions: competitions(tenant_db, viewer.tenant_id))
      end
    end

    # ---- a tenant's players ----

    get '/api/player/player/:player_id' do
      as_player do |viewer, tenant_db|
        player = find_player(tenant_db, params[:player_id]) or raise HttpError.new(404, 'unknown player')
        competitions = tenant_db.execute('SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at ASC', [viewer.tenant_id])

        scores = []
        lock_tenant(viewer.tenant_id) do
          competitions.map { |row| to_competition(row) }.each do |competition|
            # The last row of the sheet counts.
            row = tenant_db.execute(
              'SELECT * FROM player_score WHERE tenant_id = ? AND competition_id = ? AND player_id = ? ORDER BY row_num DESC LIMIT 1',
              [viewer.tenant_id, competition.id, player.id],
            ).first
            scores << { competition_title: competition.title, score: row['score'] } if row
          end
        end
        success(player: player.detail, scores: scores)
      end
    end

    get '/api/player/competition/:competition_id/ranking' do
      as_player do |viewer, tenant_db|
        competition = competition_of_path(tenant_db)

        now = Time.now.to_i
        tenant = admin_query('SELECT * FROM tenant WHERE id = ?', viewer.tenant_id).first
        admin_query(
          'INSERT INTO visit_history (player_id, tenant_id, competition_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
          viewer.player_id, tenant[:id], competition.id, now, now,
        )

        rank_after = params[:rank_after].to_s.empty? ? 0 : parse_int64(params[:rank_after])
        raise "rank_after #{params[:rank_after].inspect} is not a number" if rank_after.nil?

        ranks = lock_tenant(viewer.tenant_id) { ranking(tenant_db, viewer.tenant_id, competition.id) }
        page = ranks.select { |rank| rank[:rank] > rank_after }.first(RANKS_PER_PAGE)
        success(competition: competition.detail, ranks: page)
      end
    end

    get '/api/player/competitions' do
      as_player do |viewer, tenant_db|
        success(competitions: competitions(tenant_db, viewer.tenant_id))
      end
    end

    # ---- everybody ----

    get '/api/me' do
      tenant = tenant_of_host or raise HttpError.new(401, 'unknown tenant')
      success({ tenant: { name: tenant.name, display_name: tenant.display_name } }.merge(whoami))
    end

    post '/initialize' do
      output, status = Open3.capture2e(INITIALIZE_SCRIPT)
      raise "#{INITIALIZE_SCRIPT}: #{status}: #{output}" unless status.success?

      success(lang: 'ruby')
    end

    private

    def as_organizer
      viewer = parse_viewer
      require_role(viewer, ORGANIZER)
      with_tenant_db(viewer.tenant_id) { |tenant_db| yield viewer, tenant_db }
    end

    def as_player
      viewer = parse_viewer
      require_role(viewer, PLAYER)
      with_tenant_db(viewer.tenant_id) do |tenant_db|
        authorize_player(tenant_db, viewer)
        yield viewer, tenant_db
      end
    end

    def whoami
      viewer = parse_viewer
      return { me: nil, role: viewer.role, logged_in: true } if viewer.role != PLAYER

      player = with_tenant_db(viewer.tenant_id) { |tenant_db| find_player(tenant_db, viewer.player_id) }
      player ? { me: player.detail, role: PLAYER, logged_in: true } : guest
    rescue HttpError => e
      raise if e.status != 401

      guest
    end

    def guest
      { me: nil, role: NONE, logged_in: false }
    end

    def competition_of_path(tenant_db)
      find_competition(tenant_db, params[:competition_id]) or raise HttpError.new(404, 'unknown competition')
    end

    def competitions(tenant_db, tenant_id)
      tenant_db.execute('SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at DESC', [tenant_id])
               .map { |row| to_competition(row).detail }
    end

    def uploaded_csv
      file = params[:scores].is_a?(Hash) && params[:scores][:tempfile]
      raise 'no file scores' unless file

      file.set_encoding(Encoding::UTF_8)
      CSV.new(file, skip_blanks: true)
    end

    def check_score(tenant_db, row, row_num)
      raise "row #{row_num} of the CSV has #{row.size} columns" if row.size != 2

      player_id, text = row.map(&:to_s)
      raise HttpError.new(400, "unknown player #{player_id.inspect}") if find_player(tenant_db, player_id).nil?

      score = parse_int64(text) or raise HttpError.new(400, "score #{text.inspect} is not a number")
      PlayerScoreRow.new(dispense_id, player_id, score, row_num)
    end

    # Everybody in the sheet by their last row: the highest score first, and of
    # equal ones who stands further up.
    def ranking(tenant_db, tenant_id, competition_id)
      rows = tenant_db.execute(
        'SELECT * FROM player_score WHERE tenant_id = ? AND competition_id = ? ORDER BY row_num DESC',
        [tenant_id, competition_id],
      )
      seen = {}
      entries = []
      rows.map { |row| to_score(row) }.each do |score|
        next if seen[score.player_id]

        seen[score.player_id] = true
        entries << [score, find_player(tenant_db, score.player_id)]
      end
      entries.sort_by! { |score, _| [-score.score, score.row_num] }
      entries.each_with_index.map do |(score, player), index|
        { rank: index + 1, score: score.score, player_id: player.id, player_display_name: player.display_name }
      end
    end
  end
end
