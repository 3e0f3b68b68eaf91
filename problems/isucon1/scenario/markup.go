package isucon1scenario

// Texts of the contract (specification §3).
const (
	sidebarHeading = "新着コメントエントリ"
	anonymous      = "名無しさん"
)
