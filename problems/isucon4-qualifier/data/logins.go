package data

import "strings"

// logins invents login names of the kind a fake-name library gives: half of
// them a given name, half a given name and a surname in either order joined by
// a dot or an underscore. No name is given twice.
type logins struct {
	chance chance
	taken  map[string]struct{}
}

func newLogins(c chance, expected int) *logins {
	return &logins{chance: c, taken: make(map[string]struct{}, expected)}
}

// reserve takes a login that is not invented.
func (l *logins) reserve(login string) { l.taken[login] = struct{}{} }

// next returns a new login. A name already taken gives way to its successors,
// so that popular names come as mei, mej, mek, … (§11).
func (l *logins) next() string {
	login := l.name()
	for l.isTaken(login) {
		login = successor(login)
	}
	l.reserve(login)
	return login
}

func (l *logins) isTaken(login string) bool {
	_, taken := l.taken[login]
	return taken
}

func (l *logins) name() string {
	given := l.givenName()
	if l.chance.below(2) == 0 {
		return given
	}
	surname := l.surname()
	if l.chance.below(2) == 0 {
		given, surname = surname, given
	}
	separator := "."
	if l.chance.below(2) == 0 {
		separator = "_"
	}
	return given + separator + surname
}

func (l *logins) givenName() string {
	if l.chance.below(2) == 0 {
		return l.chance.pick(givenStemsEast) + l.chance.pick(givenEndingsEast)
	}
	return l.chance.pick(givenStemsWest) + l.chance.pick(givenEndingsWest)
}

// surname joins two parts, or leaves it at one for a quarter of the eastern
// names. It never joins a part to itself: yamayama is nobody's name.
func (l *logins) surname() string {
	if l.chance.below(2) == 0 {
		return l.chance.pick(surnameStemsWest) + l.chance.pick(surnameEndingsWest)
	}
	first := l.chance.pick(surnamePartsEast)
	if l.chance.below(4) == 0 {
		return first
	}
	for {
		if second := l.chance.pick(surnamePartsEast); second != first {
			return first + second
		}
	}
}

// successor returns the next name in the manner of Ruby's String#succ: the last
// letter is raised, a z becomes an a and carries to the letter before it,
// separators are passed over, and a carry out of the first letter puts an a in
// front: mei → mej, kaz → kba, jo.z → jp.a, z_z → aa_a. Names have no digits.
func successor(name string) string {
	next := []byte(name)
	for i := len(next) - 1; i >= 0; i-- {
		switch next[i] {
		case '.', '_':
		case 'z':
			next[i] = 'a'
		default:
			next[i]++
			return string(next)
		}
	}
	return "a" + string(next)
}

// Name parts, chosen so that a given name or surname has at most ten letters
// and a login, therefore, at most twenty-one. An empty ending lets a stem stand
// for itself.
var (
	givenStemsEast = strings.Fields(`
		ai aki asa aya chi chika eri fumi haru hide hiro hisa izu jun kana kata
		katsu kazu kei ken kiyo kuni mai maki masa mi michi mika mina mitsu
		moto nao natsu nobu nori rei rika ryo sachi saki sato shige shin sho
		shun taka take tama tatsu tetsu toki tomo toshi yasu yo yoshi yuki yumi`)
	givenEndingsEast = append(strings.Fields(`
		a aki e fumi haru hiko hiro hito ichi jiro ka kazu ki ko ma mi mu na
		nari no nobu nori o ra ri ro sa sato shi suke ta taro to ya yo yuki`), "", "", "", "")

	givenStemsWest = strings.Fields(`
		ad al alb aman and ang ann ari bast bel ben bern bri cal cam car cel
		chris clar cor dal dan dav del dor ed el em er fab fer flor fran gab
		ger gil greg hel hen her ir isab jac jer jo jos jul kar kat lar len
		leon lil luc mar mat maur mel mir nat nic nor ol osc pat paul phil quin
		ren ric rob rom ros rub sam seb sim sol stef syl tam ter theo tim val
		vic viv wal wil xav yan zel`)
	givenEndingsWest = append(strings.Fields(`
		a ah an ana as e el ella en ena er eth etta ette ia ian ice ie iel ina
		ine ino io is isa ita ito o on ora us wen win`), "", "", "", "", "")

	surnamePartsEast = strings.Fields(`
		ao asa fuji fuka furu hama hara hashi hata haya hira hoshi ide ike
		ishi iwa kami kawa ki kita kubo kuro machi maru matsu mina mori moto
		mura nagai naka nishi no oka saka saki sato sawa shima sugi taka take
		tani tsuka uchi ue yama yoko yoshi zaki`)

	surnameStemsWest = strings.Fields(`
		ald ash bart beck birch black blythe brad bram brook burn carl chad
		clay cole crans dal dun east ell fair fern fitz gar glen good graf
		green hal ham hart haver hazel hol hunt kell kings lang law linde mar
		mead mill mont nor oak pem pres ray red rich rose rud sand shel
		silva stan stein stone storm sum thorn under vander wake wal web whit
		win wood york`)
	surnameEndingsWest = append(strings.Fields(`
		berg bert bury by croft dale den er ers feld field ford gate ham house
		land ley low man mann mark more ner rick ridge sen ser son stad stead
		ston strom ton vale ward wein well wick worth`), "", "", "", "", "", "", "", "")
)
