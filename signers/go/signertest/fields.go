package signertest

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// signatureInput is the content of Signature-Input, before any rule of the profile applies.
type signatureInput struct {
	// text is what follows "sig=": the value of @signature-params.
	text string
	// components is the inner list without the signature's parameters.
	components string
	parameters map[string]item
}

func (i *signatureInput) keyid() string { return i.parameters["keyid"].text }
func (i *signatureInput) alg() string   { return i.parameters["alg"].text }

type itemType int

const (
	otherItem itemType = iota
	integerItem
	stringItem
)

// item is a bare item of a structured field (RFC 8941 section 3.3).
type item struct {
	kind   itemType
	text   string
	number int64
}

func readFields(header http.Header) (*signatureInput, []byte, *Refusal) {
	texts := map[string]string{}
	for _, name := range []string{"Signature-Input", "Signature"} {
		lines := header.Values(name)
		if len(lines) != 1 {
			return nil, nil, refuse("signature_missing", "there are %d %s headers, not one", len(lines), name)
		}
		texts[name] = strings.Trim(lines[0], " \t")
		if len(texts[name]) > fieldLengthMax {
			return nil, nil, refuse("signature_malformed", "%s has more than %d characters", name, fieldLengthMax)
		}
	}
	input := readSignatureInput(texts["Signature-Input"])
	if input == nil {
		return nil, nil, refuse("signature_malformed", `Signature-Input is not one member "sig" in its canonical text`)
	}
	encoded, isSig := strings.CutPrefix(texts["Signature"], "sig=:")
	encoded, isClosed := strings.CutSuffix(encoded, ":")
	signature, err := base64.StdEncoding.Strict().DecodeString(encoded)
	// The decoder skips line breaks.
	if !isSig || !isClosed || err != nil || strings.ContainsAny(encoded, "\r\n") {
		return nil, nil, refuse("signature_malformed", `Signature is not one member "sig" with canonical, padded Base64`)
	}
	return input, signature, nil
}

// readSignatureInput reads exactly one member "sig", an inner list, in the one text that RFC 8941 section 4.1 writes for
// it. It returns nil for any other text.
func readSignatureInput(field string) *signatureInput {
	text, isSig := strings.CutPrefix(field, "sig=")
	reader := &canonicalReader{rest: text}
	if !isSig || !reader.take("(") {
		return nil
	}
	for !reader.take(")") {
		if len(reader.rest) < len(text)-1 && !reader.take(" ") {
			return nil
		}
		if _, isItem := reader.item(); !isItem {
			return nil
		}
		if _, areValid := reader.parameters(); !areValid {
			return nil
		}
	}
	components := strings.TrimSuffix(text, reader.rest)
	parameters, areValid := reader.parameters()
	if !areValid || reader.rest != "" {
		return nil
	}
	return &signatureInput{text: text, components: components, parameters: parameters}
}

// canonicalReader consumes canonical structured-field text.
type canonicalReader struct{ rest string }

func (r *canonicalReader) take(prefix string) bool {
	rest, isThere := strings.CutPrefix(r.rest, prefix)
	r.rest = rest
	return isThere
}

func (r *canonicalReader) match(pattern *regexp.Regexp) (string, bool) {
	found := pattern.FindString(r.rest)
	r.rest = r.rest[len(found):]
	return found, found != ""
}

var (
	keyPattern     = regexp.MustCompile(`^[a-z*][a-z0-9_.*-]*`)
	tokenPattern   = regexp.MustCompile("^[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*")
	stringPattern  = regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\["\\])*"`)
	bytesPattern   = regexp.MustCompile(`^:[A-Za-z0-9+/=]*:`)
	decimalPattern = regexp.MustCompile(`^-?(?:0|[1-9][0-9]{0,11})\.(?:[0-9]{0,2}[1-9]|0)`)
	integerPattern = regexp.MustCompile(`^(?:0|-?[1-9][0-9]{0,14})`)
	escapedPattern = regexp.MustCompile(`\\(.)`)
)

func (r *canonicalReader) item() (item, bool) {
	if quoted, isString := r.match(stringPattern); isString {
		return item{kind: stringItem, text: escapedPattern.ReplaceAllString(quoted[1:len(quoted)-1], "$1")}, true
	}
	if encoded, isBytes := r.match(bytesPattern); isBytes {
		_, err := base64.StdEncoding.Strict().DecodeString(encoded[1 : len(encoded)-1])
		return item{}, err == nil
	}
	if _, isDecimal := r.match(decimalPattern); isDecimal {
		return item{}, true
	}
	if digits, isInteger := r.match(integerPattern); isInteger {
		number, err := strconv.ParseInt(digits, 10, 64)
		return item{kind: integerItem, number: number}, err == nil
	}
	if r.take("?0") || r.take("?1") {
		return item{}, true
	}
	_, isToken := r.match(tokenPattern)
	return item{}, isToken
}

func (r *canonicalReader) parameters() (map[string]item, bool) {
	parameters := map[string]item{}
	for r.take(";") {
		name, isKey := r.match(keyPattern)
		if _, isRepeated := parameters[name]; !isKey || isRepeated {
			return nil, false
		}
		parameters[name] = item{} // true, which is written without a value
		if !r.take("=") {
			continue
		}
		if strings.HasPrefix(r.rest, "?1") {
			return nil, false
		}
		value, isItem := r.item()
		if !isItem {
			return nil, false
		}
		parameters[name] = value
	}
	return parameters, true
}
