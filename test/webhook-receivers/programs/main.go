package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
func main() {
	file, _ := os.Open("cases")
	for lines := bufio.NewScanner(file); lines.Scan(); {
		parts := strings.Split(lines.Text(), "|")
		body, _ := base64.StdEncoding.DecodeString(parts[4])
		now, _ := strconv.ParseInt(parts[5], 10, 64)
		if isFromService(parts[0], parts[1], parts[2], parts[3], body, now) {
			fmt.Println("accept")
		} else {
			fmt.Println("reject")
		}
	}
}
