package nttscenario

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// jsonObject is a JSON object, whose keys are in the order of the alphabet.
type jsonObject map[string]any

// jsonList is a JSON array.
type jsonList []any

// encode writes JSON, with the keys the other way round if asked for.
func (s *service) encode(body any) ([]byte, error) {
	if !s.is("keys-reversed") && !s.is("null") && !s.is("spaces") {
		return json.Marshal(body)
	}
	var out bytes.Buffer
	err := s.encodeOtherwise(&out, body)
	return out.Bytes(), err
}

func (s *service) encodeOtherwise(out *bytes.Buffer, body any) error {
	space := ""
	if s.is("spaces") {
		space = "\n\t "
	}
	switch body := body.(type) {
	case jsonObject:
		var keys []string
		for key := range body {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) })
		out.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				out.WriteString("," + space)
			}
			out.WriteString(strconv.Quote(key) + space + ":" + space)
			if err := s.encodeOtherwise(out, body[key]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	case jsonList:
		if len(body) == 0 && s.is("null") {
			out.WriteString("null")
			return nil
		}
		out.WriteByte('[')
		for i, element := range body {
			if i > 0 {
				out.WriteString(space + ",")
			}
			if err := s.encodeOtherwise(out, element); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	default:
		text, err := json.Marshal(body)
		out.Write(text)
		return err
	}
	return nil
}
