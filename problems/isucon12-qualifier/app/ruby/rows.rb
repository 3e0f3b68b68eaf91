module Isuports
  TenantRow = Struct.new(:id, :name, :display_name)

  PlayerRow = Struct.new(:id, :display_name, :is_disqualified) do
    def detail
      { id: id, display_name: display_name, is_disqualified: is_disqualified }
    end
  end

  CompetitionRow = Struct.new(:id, :title, :finished_at) do
    def finished?
      !finished_at.nil?
    end

    def detail
      { id: id, title: title, is_finished: finished? }
    end
  end

  PlayerScoreRow = Struct.new(:id, :player_id, :score, :row_num)
end
