package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Runs the check of the page on each line of a file: method, target, body, now, headers, all but `now` in Base64.
func main() {
	check := &ForwardedCheck{DirectoryURL: os.Args[1], Audience: strings.Split(os.Args[2], ",")}
	file, _ := os.Open(os.Args[3])
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		seconds, _ := strconv.ParseInt(parts[3], 10, 64)
		header := map[string][]string{}
		for index := 4; index+1 < len(parts); index += 2 {
			header[text(parts[index])] = append(header[text(parts[index])], text(parts[index+1]))
		}
		found, err := check.Check(text(parts[0]), text(parts[1]), header, []byte(text(parts[2])), time.Unix(seconds, 0))
		if err != nil {
			fmt.Println("refused", err)
			continue
		}
		fmt.Println("accepted", found.ClientID, strings.Join(found.Roles, ","), found.TargetURI, found.Profile, found.Covered)
	}
}

func text(encoded string) string {
	bytes, _ := base64.StdEncoding.DecodeString(encoded)
	return string(bytes)
}
