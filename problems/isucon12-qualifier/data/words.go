package data

import "strings"

// The words that names are made of: our own, and fewer than the contest's 250
// of each Japanese kind. Nothing depends on how many there are.
var (
	adjectives = strings.Fields(`
		あかるい あたたかい あたらしい あまい あやしい いさましい いとしい うつくしい うれしい
		おいしい おおきな おかしな おだやかな かがやく かしこい かっこいい かろやかな かわいい
		きまぐれな きらめく くるおしい けだかい げんきな こだわりの ささやかな さすらいの さわやかな
		しずかな したたかな しなやかな すがすがしい すてきな すばやい そぼくな たくましい たのしい
		ちいさな つめたい つよい てごわい とうとい ときめく なつかしい なめらかな にぎやかな ねむたい
		のんびりした はかない はてしない ひかえめな ひたむきな ふしぎな ふるい まぶしい まろやかな
		みずみずしい むじゃきな めずらしい ものしずかな やさしい やわらかい ゆかいな ゆるぎない
		よくばりな りりしい わかい 伝説の 孤高の 幻の 最強の 最速の 深夜の 無敵の 真夏の 真冬の
		禁断の 秘密の 究極の 約束の 絶対 超高速 週末の 銀河の 青い 赤い 黒い 白い`)
	nouns = strings.Fields(`
		あさがお いるか うさぎ おおかみ おにぎり かえる かもめ からす きつね くじら くま こうもり
		さくら さざなみ しろくま すずめ たぬき たんぽぽ つばめ とんぼ なまけもの ねこ はやぶさ ひぐらし
		ひまわり ふくろう ほたる まぐろ みかん みずうみ むささび もぐら やまねこ ゆきだるま らっこ
		りす わし アンテナ インデックス エンジン オーロラ カーソル カレー キャッシュ キーボード
		クエリ クジラ ケーブル コネクション コンテナ サーバー スレッド セッション ソケット タイマー
		チューニング テーブル デーモン トランザクション ドラゴン ネットワーク バッファ パケット
		ピラミッド プール プロセス ペンギン ポインタ マグマ ミドルウェア メモリ モンスター ライブラリ
		ラーメン リクエスト ループ レプリカ ロケット ロック ワーカー 一番星 夕焼け 大根 宇宙 将棋 嵐
		懐中電灯 新幹線 春風 椅子 波 流星 海賊 湯豆腐 満月 火山 灯台 炊飯器 煎餅 猫背 磁石 紅葉
		線香花火 羅針盤 自転車 虹 蛍光灯 蜃気楼 豆大福 迷宮 金魚 鉛筆 雷 電卓 霧 餃子 鬼瓦`)
	teamEndings = strings.Fields(`
		会 組 隊 団 部 班 軍 党 一家 一座 一族 一味 協会 同盟 連合 連盟 連邦 王国 帝国 共和国 公国
		倶楽部 愛好会 研究会 研究所 実行委員会 親衛隊 探検隊 応援団 楽団 合唱団 商会 商店 商事 工房
		工業 製作所 電機 酒造 食堂 茶屋 旅館 道場 塾 学園 大学 本舗 本店 支店 物産 運輸 銀行 新聞
		通信 放送 書店 座 寮 村 町 市 県 株式会社 ホールディングス カンパニー クラブ チーム ズ
		ボーイズ ガールズ スターズ ファミリー ブラザーズ レンジャー 友の会 保存会 後援会 の仲間たち
		と愉快な仲間 の会 の森 の家`)
	slugs = strings.Fields(`
		able amber apple arrow atlas autumn bamboo basil beacon birch bison blue bold brave breeze
		bright bronze brook calm canyon cedar chalk cherry cider citrus clever cloud clover cobalt
		comet copper coral cosmic crane crimson crystal curious dapper dawn delta denim dune eager
		early echo ember fabled falcon fancy fern firefly flint forest frosty gentle ginger glacier
		golden grand granite happy harbor hazel heron hidden hollow honest humble indigo iris ivory
		jade jolly juniper keen kind koala lake lantern lavender lemon lilac lime little lively lotus
		lucky lunar magic maple marble meadow mellow merry mighty mint misty modest moss neat nimble
		noble north nova oak ocean olive onyx opal orbit orchid otter panda pearl pepper pine plum
		polar pond prairie proud quartz quick quiet rapid raven red ridge river robin royal ruby
		saffron sage salmon sandy scarlet shadow shy silent silver sky slate snowy solar sparrow spice
		spring star steady stone stormy summer sunny swift teal thunder tidy tiger timber topaz tulip
		vast velvet violet vivid walnut warm wild willow winter wise wolf yellow zen zephyr`)
	givenNames = strings.Fields(`
		Aaron Abigail Adam Alice Amelia Andrew Anna Arthur Audrey Beatrice Benjamin Bernard Brenda
		Bruce Carl Caroline Catherine Charles Charlotte Chloe Clara Colin Daniel Daphne David Deborah
		Dennis Diana Dorothy Douglas Dylan Edgar Edith Edward Eleanor Elizabeth Emily Emma Eric Ethan
		Eva Evelyn Felix Fiona Florence Frances Frank Frederick Gavin George Gerald Gilbert Gloria
		Grace Graham Gregory Hannah Harold Harriet Harry Hazel Helen Henry Howard Hugh Ian Irene Isaac
		Isabel Jack Jacob James Jane Janet Jason Jennifer Jessica Joan Jonathan Joseph Joyce Judith
		Julia Karen Keith Kenneth Laura Lawrence Leonard Lewis Lillian Louise Lucas Lucy Luke Mabel
		Margaret Marion Martha Martin Mary Matthew Maude Michael Mildred Molly Nancy Nathan Nicholas
		Nora Norman Oliver Olivia Oscar Pamela Patrick Paula Peter Philip Phoebe Rachel Ralph Raymond
		Rebecca Richard Robert Roger Rosa Ruby Ruth Samuel Sarah Scott Sidney Simon Sophia Stanley
		Stella Stephen Susan Sylvia Theodore Thomas Timothy Tobias Ursula Veronica Victor Victoria
		Vincent Violet Virginia Walter Wendy William Winifred Zachary Zoe`)
	familyNames = strings.Fields(`
		Abbott Adams Allen Anderson Archer Armstrong Atkinson Bailey Baker Barker Barnes Bell Bennett
		Berry Bishop Booth Bradley Brooks Brown Bryant Burton Butler Campbell Carpenter Carter Chambers
		Chapman Clark Coleman Collins Cook Cooper Crawford Cross Davidson Davis Dawson Dixon Douglas
		Edwards Elliott Ellis Evans Fairfax Fisher Fleming Fletcher Foster Fowler Fox Freeman Gardner
		Gibson Gordon Graham Grant Gray Green Griffin Hall Hamilton Harper Harris Harrison Hart Harvey
		Hawkins Hayes Henderson Hill Holmes Howell Hudson Hughes Hunt Hunter Jackson Jenkins Johnson
		Jones Kennedy King Knight Lambert Lane Lawson Lee Lloyd Marshall Mason Matthews Miller Mitchell
		Moore Morgan Morris Murphy Murray Nelson Newman Nichols Owen Palmer Parker Patterson Payne
		Pearson Perkins Perry Phillips Porter Powell Price Quinn Reed Reynolds Richards Roberts
		Robinson Rogers Rose Ross Russell Sanders Saunders Scott Shaw Simmons Simpson Slater Smith
		Spencer Stevens Stewart Stone Sullivan Taylor Thompson Tucker Turner Vaughan Wagner Walker
		Wallace Walsh Ward Warren Watson Weaver Webb Wells West Wheeler White Williams Wilson Wood
		Wright Young`)
)
