package nttscenario

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
)

// upload is a picture for an event, with the form that sends it. The form is made once: there
// are a hundred of them, and some are large.
type upload struct {
	name    string
	md5     string
	content []byte // of the file; a part of the form
	form    []byte // multipart/form-data with one file, image (RFC 7578)
}

// The form as browsers write it. No picture has the boundary in it.
const (
	boundary = "hotseat-ntt-ptc-2020-between-parts"
	formType = "multipart/form-data; boundary=" + boundary
	formTail = "\r\n--" + boundary + "--\r\n"

	formWithoutFile = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\nno file" + formTail
)

func formHead(field string) string {
	return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\"event.png\"\r\nContent-Type: image/png\r\n\r\n"
}

// formOf sends one file, which claims to be a PNG, in this field.
func formOf(field string, content []byte) []byte {
	return slices.Concat([]byte(formHead(field)), content, []byte(formTail))
}

func newUpload(name string, content []byte) upload {
	const field = "image"
	sum := md5.Sum(content)
	form, head := formOf(field, content), len(formHead(field))
	return upload{name: name, md5: hex.EncodeToString(sum[:]), form: form, content: form[head : head+len(content)]}
}
