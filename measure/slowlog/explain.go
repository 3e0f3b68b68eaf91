package slowlog

import (
	"strings"

	"hotseat"
)

// explainRows reads the "# explain:" lines of MariaDB: a head with the names of
// the columns, then a row for each table, between tabs. The columns differ with
// the version; only those with names that we know are taken.
func explainRows(lines []byte) []hotseat.ExplainRow {
	var columns []string
	var rows []hotseat.ExplainRow
	for line := range strings.SplitSeq(strings.TrimRight(string(lines), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if columns == nil {
			if len(cells) > 3 {
				columns = cells
			}
			continue
		}
		var row hotseat.ExplainRow
		for i, cell := range cells[:min(len(cells), len(columns))] {
			if to := explainColumn(&row, columns[i]); to != nil {
				*to = strings.TrimSpace(cell)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// explainColumn is where a column of EXPLAIN goes; nil for one that we do not know.
func explainColumn(row *hotseat.ExplainRow, name string) *string {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "id":
		return &row.ID
	case "select_type":
		return &row.SelectType
	case "table":
		return &row.Table
	case "type":
		return &row.Type
	case "possible_keys":
		return &row.PossibleKeys
	case "key":
		return &row.Key
	case "key_len":
		return &row.KeyLen
	case "ref":
		return &row.Ref
	case "rows":
		return &row.Rows
	case "r_rows":
		return &row.RRows
	case "filtered":
		return &row.Filtered
	case "r_filtered":
		return &row.RFiltered
	case "extra":
		return &row.Extra
	}
	return nil
}
