module Isuports
  # What a tenant owes.
  module Billing
    YEN_PER_PLAYER = 100
    YEN_PER_VISITOR = 10

    # The bill of one competition: each player in the scores, and each visitor
    # without a score who came before it was finished. Nothing until then.
    def billing_report(tenant_db, tenant_id, competition)
      first_visits = admin_query(
        'SELECT player_id, MIN(created_at) AS first_at FROM visit_history WHERE tenant_id = ? AND competition_id = ? GROUP BY player_id',
        tenant_id, competition.id,
      )
      parts = {}
      first_visits.each do |visit|
        next if competition.finished? && competition.finished_at < visit[:first_at]

        parts[visit[:player_id]] = :visitor
      end

      tenant_db.execute(
        'SELECT DISTINCT(player_id) AS player_id FROM player_score WHERE tenant_id = ? AND competition_id = ?',
        [tenant_id, competition.id],
      ) { |row| parts[row['player_id']] = :player }

      players, visitors = competition.finished? ? [parts.count { |_, part| part == :player }, parts.count { |_, part| part == :visitor }] : [0, 0]
      {
        competition_id: competition.id,
        competition_title: competition.title,
        player_count: players,
        visitor_count: visitors,
        billing_player_yen: YEN_PER_PLAYER * players,
        billing_visitor_yen: YEN_PER_VISITOR * visitors,
        billing_yen: YEN_PER_PLAYER * players + YEN_PER_VISITOR * visitors,
      }
    end

    # The bills of all competitions of a tenant, the newest first. The lock comes
    # before the query: an upload that had the lock would wait in vain for a reader
    # that waits for it.
    def billing_reports(tenant_db, tenant_id)
      reports = []
      lock_tenant(tenant_id) do
        tenant_db.execute('SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at DESC', [tenant_id]) do |row|
          reports << billing_report(tenant_db, tenant_id, to_competition(row))
        end
      end
      reports
    end
  end
end
