// Sends planned requests with Go's HTTP clients. One JSON document per line: a job in, what its author holds out, the
// headers in, the outcome out.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
	goccy "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	"github.com/valyala/fasthttp"
)

type job struct {
	Client, Way, Method, URL, Signs, Sends string
	Query                                 [][2]string
	Data                                  json.RawMessage
	Text, Holds                           *string
}

func decoded(data json.RawMessage) any {
	var value any
	_ = json.Unmarshal(data, &value)
	return value
}

func encoded(escape bool, indent string) func(json.RawMessage) ([]byte, error) {
	return func(data json.RawMessage) ([]byte, error) {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(escape)
		encoder.SetIndent("", indent)
		err := encoder.Encode(decoded(data))
		return text.Bytes(), err
	}
}

var serialisers = map[string]func(json.RawMessage) ([]byte, error){
	"json.Marshal":         func(data json.RawMessage) ([]byte, error) { return json.Marshal(decoded(data)) },
	"json.MarshalIndent":   func(data json.RawMessage) ([]byte, error) { return json.MarshalIndent(decoded(data), "", "  ") },
	"json.Encoder":         encoded(true, ""),
	"json.Encoder plain":   encoded(false, ""),
	"json.Encoder indent":  encoded(true, "\t"),
	"json.RawMessage":      func(data json.RawMessage) ([]byte, error) { return json.Marshal(data) },
	"json.Compact":         func(data json.RawMessage) ([]byte, error) { var text bytes.Buffer; err := json.Compact(&text, data); return text.Bytes(), err },
	"json.Marshal bytes":   func(data json.RawMessage) ([]byte, error) { return json.Marshal([]byte(data)) },
	"json.Marshal string":  func(data json.RawMessage) ([]byte, error) { return json.Marshal(string(data)) },
	"fmt.Sprint":           func(data json.RawMessage) ([]byte, error) { return []byte(fmt.Sprint(decoded(data))), nil },
	"jsoniter":             func(data json.RawMessage) ([]byte, error) { return jsoniter.Marshal(decoded(data)) },
	"jsoniter compatible":  func(data json.RawMessage) ([]byte, error) { return jsoniter.ConfigCompatibleWithStandardLibrary.Marshal(decoded(data)) },
	"jsoniter fastest":     func(data json.RawMessage) ([]byte, error) { return jsoniter.ConfigFastest.Marshal(decoded(data)) },
	"goccy":                func(data json.RawMessage) ([]byte, error) { return goccy.Marshal(decoded(data)) },
	"goccy plain":          func(data json.RawMessage) ([]byte, error) { return goccy.MarshalWithOption(decoded(data), goccy.DisableHTMLEscape()) },
}

func values(query [][2]string) url.Values {
	all := url.Values{}
	for _, pair := range query {
		all.Add(pair[0], pair[1])
	}
	return all
}

func joined(query [][2]string, name, value func(string) string) string {
	parts := []string{}
	for _, pair := range query {
		parts = append(parts, name(pair[0])+"="+value(pair[1]))
	}
	return strings.Join(parts, "&")
}

func same(text string) string { return text }

var queries = map[string]func([][2]string) string{
	"naive":              func(query [][2]string) string { return joined(query, same, same) },
	"url.Values":         func(query [][2]string) string { return values(query).Encode() },
	"url.QueryEscape":    func(query [][2]string) string { return joined(query, same, url.QueryEscape) },
	"url.PathEscape":     func(query [][2]string) string { return joined(query, same, url.PathEscape) },
}

func ownBody(one job) *string {
	switch {
	case one.Way == "json":
		text, _ := json.Marshal(decoded(one.Data))
		whole := string(text)
		return &whole
	case one.Way == "form":
		whole := values(one.Query).Encode()
		return &whole
	}
	return one.Text
}

func ownURL(one job) string {
	if one.Way == "query" {
		return one.URL + "?" + values(one.Query).Encode()
	}
	return one.URL
}

var clients = map[string]func(job, [][2]string) error{
	"net/http": func(one job, headers [][2]string) error {
		var body *strings.Reader = strings.NewReader("")
		if text := ownBody(one); text != nil {
			body = strings.NewReader(*text)
		}
		request, err := http.NewRequestWithContext(context.Background(), one.Method, ownURL(one), body)
		if err != nil {
			return err
		}
		for _, header := range headers {
			request.Header.Set(header[0], header[1])
		}
		client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err == nil {
			response.Body.Close()
		}
		return err
	},
	"resty": func(one job, headers [][2]string) error {
		request := resty.New().SetTimeout(5 * time.Second).R()
		for _, header := range headers {
			request.SetHeader(header[0], header[1])
		}
		switch one.Way {
		case "query":
			request.SetQueryParamsFromValues(values(one.Query))
		case "form":
			request.SetFormDataFromValues(values(one.Query))
		case "json":
			request.SetBody(decoded(one.Data))
		default:
			if one.Text != nil {
				request.SetBody(*one.Text)
			}
		}
		_, err := request.Execute(one.Method, one.URL)
		return err
	},
	"fasthttp": func(one job, headers [][2]string) error {
		request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		request.SetRequestURI(one.URL)
		request.Header.SetMethod(one.Method)
		for _, header := range headers {
			request.Header.Set(header[0], header[1])
		}
		if one.Way == "query" {
			for _, pair := range one.Query {
				request.URI().QueryArgs().Add(pair[0], pair[1])
			}
		}
		if text := ownBody(one); text != nil {
			request.SetBodyString(*text)
		}
		return fasthttp.DoTimeout(request, response, 5*time.Second)
	},
}

func hold(one job) (map[string]any, error) {
	target, body := one.URL, one.Text
	switch one.Way {
	case "query":
		target += "?" + queries[one.Signs](one.Query)
	case "form":
		text := queries[one.Signs](one.Query)
		body = &text
	case "json":
		if one.Holds != nil {
			body = one.Holds
		} else {
			text, err := serialisers[one.Signs](one.Data)
			if err != nil {
				return nil, err
			}
			whole := string(text)
			body = &whole
		}
	}
	held := map[string]any{"url": target, "body": nil}
	if body != nil {
		held["body"] = base64.StdEncoding.EncodeToString([]byte(*body))
	}
	return held, nil
}

func say(value any) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}

func keys[Value any](table map[string]Value, first string) []string {
	names := []string{first}
	for name := range table {
		if name != first {
			names = append(names, name)
		}
	}
	sortStrings(names[1:])
	return names
}

func sortStrings(names []string) {
	for at := range names {
		for before := at; before > 0 && names[before] < names[before-1]; before-- {
			names[before], names[before-1] = names[before-1], names[before]
		}
	}
}

func answer(one job, lines *bufio.Reader) error {
	if one.Way == "serialise" {
		text, err := serialisers[one.Signs](one.Data)
		if err == nil {
			say(map[string]any{"held": map[string]any{"url": "", "body": base64.StdEncoding.EncodeToString(text)}})
		}
		return err
	}
	held, err := hold(one)
	if err != nil {
		return err
	}
	if one.Sends != "" {
		text, err := serialisers[one.Sends](one.Data)
		if err != nil {
			return err
		}
		whole := string(text)
		one.Text, one.Way = &whole, "text"
	}
	say(map[string]any{"held": held})
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	var signed struct{ Headers [][2]string }
	if err := json.Unmarshal(line, &signed); err != nil {
		return err
	}
	send := clients[one.Client]
	if send == nil {
		return errors.New("no such client")
	}
	if err := send(one, signed.Headers); err != nil {
		return err
	}
	say(map[string]any{"sent": true})
	return nil
}

func main() {
	say(map[string]any{
		"clients":     keys(clients, "net/http"),
		"serialisers": keys(serialisers, "json.Marshal"),
		"queries":     keys(queries, "naive"),
	})
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var one job
		if err := json.Unmarshal(line, &one); err != nil {
			say(map[string]any{"error": err.Error()})
			continue
		}
		if err := answer(one, lines); err != nil {
			say(map[string]any{"error": err.Error()})
		}
	}
}
