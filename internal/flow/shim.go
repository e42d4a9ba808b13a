package flow

func FindingsIn(body []byte, key string) ([]Finding, error) { var a Analyzer; return a.FindingsOf(body, key) }
