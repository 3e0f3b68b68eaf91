require 'mysql2'
require 'open3'
require 'shellwords'
require 'sqlite3'

require_relative 'errors'
require_relative 'rows'
require_relative 'sqltrace'

module Isuports
  # The admin database in MySQL: tenants, visits and the counter of ids.
  module AdminDB
    DEADLOCK = 1213
    MAX_DEADLOCKS = 100

    def admin_db
      Thread.current[:admin_db] ||= Mysql2::Client.new(
        host: ENV.fetch('ISUCON_DB_HOST', '127.0.0.1'),
        port: ENV.fetch('ISUCON_DB_PORT', '3306').to_i,
        username: ENV.fetch('ISUCON_DB_USER', 'isucon'),
        password: ENV.fetch('ISUCON_DB_PASSWORD', 'isucon'),
        database: ENV.fetch('ISUCON_DB_NAME', 'isuports'),
        encoding: 'utf8mb4',
        symbolize_keys: true,
        cache_rows: true,
        reconnect: true,
      )
    end

    # Puts the values in the places of the question marks, in one round trip.
    def admin_query(sql, *values)
      rest = values.dup
      admin_db.query(sql.gsub('?') { quote(rest.shift) })
    end

    # A new id, unique in the whole service.
    def dispense_id
      deadlocks = 0
      begin
        admin_query("REPLACE INTO id_generator (stub) VALUES ('a')")
        admin_db.last_id.to_s(16)
      rescue Mysql2::Error => e
        raise unless e.error_number == DEADLOCK

        deadlocks += 1
        retry if deadlocks < MAX_DEADLOCKS
        raise
      end
    end

    private

    def quote(value)
      value.is_a?(Integer) ? value.to_s : "'#{admin_db.escape(value)}'"
    end
  end

  # One SQLite file and one lock file per tenant.
  module TenantDB
    SCHEMA = '../sql/tenant/10_schema.sql'.freeze
    BUSY_TIMEOUT = 5 # seconds
    BUSY_WAIT = 0.01

    def tenant_db_dir
      ENV.fetch('ISUCON_TENANT_DB_DIR', '../tenant_db')
    end

    def tenant_db_path(tenant_id)
      File.join(tenant_db_dir, "#{tenant_id}.db")
    end

    def with_tenant_db(tenant_id)
      traced = ENV.fetch('ISUCON_SQLITE_TRACE_FILE', '') != ''
      db = (traced ? TracedDatabase : SQLite3::Database).new(tenant_db_path(tenant_id), readwrite: true, results_as_hash: true)
      # SQLite's own busy_timeout would sleep with Ruby's lock in its hand: the thread
      # that it waits for could not go on, if it is one of the same worker.
      db.busy_handler do |tries|
        sleep(BUSY_WAIT)
        tries < BUSY_TIMEOUT / BUSY_WAIT
      end
      yield db
    ensure
      db&.close
    end

    def create_tenant_db(tenant_id)
      command = "sqlite3 #{tenant_db_path(tenant_id).shellescape} < #{SCHEMA.shellescape}"
      output, status = Open3.capture2e('sh', '-c', command)
      raise "#{command}: #{status}: #{output}" unless status.success?
    end

    # Nobody else reads or replaces the tenant's scores meanwhile.
    def lock_tenant(tenant_id)
      File.open(File.join(tenant_db_dir, "#{tenant_id}.lock"), File::RDWR | File::CREAT, 0o600) do |file|
        file.flock(File::LOCK_EX)
        yield
      end
    end

    def find_player(tenant_db, id)
      tenant_db.execute('SELECT * FROM player WHERE id = ?', [id]) { |row| return to_player(row) }
      nil
    end

    def find_competition(tenant_db, id)
      tenant_db.execute('SELECT * FROM competition WHERE id = ?', [id]) { |row| return to_competition(row) }
      nil
    end

    def to_player(row)
      PlayerRow.new(row['id'], row['display_name'], row['is_disqualified'] != 0)
    end

    def to_competition(row)
      CompetitionRow.new(row['id'], row['title'], row['finished_at'])
    end

    def to_score(row)
      PlayerScoreRow.new(row['id'], row['player_id'], row['score'], row['row_num'])
    end
  end
end
