package check

import (
	"crypto/md5"  // contests give md5 sums; nothing here is a secret
	"crypto/sha1" // the same
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// This file holds the checks that need no parsing: status, headers, digests.

// responseCheck is a Checker made of one function. It has no faster way to verify.
type responseCheck struct {
	name, rule string
	check      func(in *Input, vars []Value) *Mismatch
}

func (c *responseCheck) Name() string { return c.name }

func (c *responseCheck) Rules() []string { return distinct([]string{c.rule}) }

func (c *responseCheck) Check(in *Input, vars ...Value) *Mismatch {
	m := c.check(in, vars)
	if m == nil || c.rule != "" && in.Skip != nil && in.Skip(c.rule) {
		return nil
	}
	m.Check, m.Rule = c.name, c.rule
	return m
}

func (c *responseCheck) Verify(in *Input, vars ...Value) *Mismatch { return c.Check(in, vars...) }

// Status wants one of the status codes.
func Status(rule string, codes ...int) Checker {
	return &responseCheck{name: "status", rule: rule, check: func(in *Input, _ []Value) *Mismatch {
		if slices.Contains(codes, in.Status) {
			return nil
		}
		m := &Mismatch{
			Code:     UnexpectedStatus,
			Expected: strings.Trim(strings.ReplaceAll(fmt.Sprint(codes), " ", " or "), "[]"),
			Actual:   fmt.Sprint(in.Status),
			Offset:   -1,
		}
		switch in.Status / 100 {
		case 4:
			m.Code = Unexpected4xx
		case 5:
			m.Code = Unexpected5xx
		}
		return m
	}}
}

// ContentType wants one of the media types, such as "text/html"; parameters and capital letters do not matter
// (RFC 9110 §8.3.1).
func ContentType(rule string, types ...string) Checker {
	return &responseCheck{name: "content type", rule: rule, check: func(in *Input, _ []Value) *Mismatch {
		actual := in.header("Content-Type")
		media, _, _ := strings.Cut(actual, ";")
		media = strings.Trim(media, " \t")
		for _, t := range types {
			if strings.EqualFold(media, t) {
				return nil
			}
		}
		return &Mismatch{
			Code: ContentTypeWrong, Path: "Content-Type",
			Expected: strings.Join(types, " or "), Actual: brief([]byte(actual)), Offset: -1,
		}
	}}
}

// Header wants the value of a response header to be accepted; a header that is missing has the value "".
func Header(rule, name string, want Matcher) Checker {
	return &responseCheck{name: "header", rule: rule, check: func(in *Input, vars []Value) *Mismatch {
		actual := in.header(name)
		if want.ok([]byte(actual), vars) {
			return nil
		}
		return &Mismatch{Code: ValueMismatch, Path: name, Expected: want.expected(vars), Actual: brief([]byte(actual)), Offset: -1}
	}}
}

func (in *Input) header(name string) string {
	if in.Header == nil {
		return ""
	}
	return in.Header.Get(name)
}

// A DigestKind is a digest function, by its name.
type DigestKind string

// The digests a contest's data may come with. XXH3 is the 128-bit variant and by far the
// cheapest; prefer it where the choice is yours.
const (
	MD5    DigestKind = "md5"
	SHA1   DigestKind = "sha1"
	SHA256 DigestKind = "sha256"
	XXH3   DigestKind = "xxh3"
)

func (k DigestKind) sum(body []byte) string {
	switch k {
	case MD5:
		sum := md5.Sum(body)
		return hex.EncodeToString(sum[:])
	case SHA1:
		sum := sha1.Sum(body)
		return hex.EncodeToString(sum[:])
	case SHA256:
		sum := sha256.Sum256(body)
		return hex.EncodeToString(sum[:])
	case XXH3:
		sum := xxh3.Hash128(body).Bytes()
		return hex.EncodeToString(sum[:])
	}
	panic(fmt.Sprintf("check: there is no digest %q; there are md5, sha1, sha256 and xxh3", k))
}

// Digest wants the decoded body to have the digest, given in hexadecimal; it panics if that cannot be one. A body that was right once is known by its xxh3
// digest from then on: MD5 costs seventy times as much. The code of a mismatch is asset-digest; see Image.
func Digest(rule, name string, kind DigestKind, want string) Checker {
	return digest(rule, name, kind, want, AssetDigest)
}

// Image is Digest for images; the code of a mismatch is image-digest.
func Image(rule, name string, kind DigestKind, want string) Checker {
	return digest(rule, name, kind, want, ImageDigest)
}

type knownBody struct {
	length int
	digest xxh3.Uint128
}

func digest(rule, name string, kind DigestKind, want, code string) Checker {
	want = strings.ToLower(want)
	if raw, err := hex.DecodeString(want); err != nil || len(raw)*2 != len(kind.sum(nil)) {
		panic(fmt.Sprintf("check: %s: %q is not such a digest", name, want))
	}
	var known atomic.Pointer[knownBody]
	return &responseCheck{name: name, rule: rule, check: func(in *Input, _ []Value) *Mismatch {
		seen := knownBody{len(in.Body), xxh3.Hash128(in.Body)}
		if k := known.Load(); k != nil && *k == seen {
			return nil
		}
		actual := kind.sum(in.Body)
		if actual == want {
			known.Store(&seen)
			return nil
		}
		return &Mismatch{Code: code, Expected: string(kind) + " " + want, Actual: fmt.Sprintf("%s of %d bytes", actual, len(in.Body)), Offset: -1,
			Hint: "this is not the file that was given: download it with the curl line and compare the two"}
	}}
}
