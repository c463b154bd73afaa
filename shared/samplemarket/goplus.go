package samplemarket

import (
	"net/http"
	"strconv"
)

type goplusEnvelope struct {
	Code    int     `json:"code"`
	Message *string `json:"message"`
	Result  any     `json:"result"`
}

func goplusOK(result any) (int, any) {
	message := "OK"
	return http.StatusOK, goplusEnvelope{1, &message, result}
}

func goplusError(code int, message string) (int, any) {
	return http.StatusOK, goplusEnvelope{code, &message, nil}
}

// serveGoPlus answers api/v1/… and api/v2/…; every status is 200, the code tells.
func (m *Market) serveGoPlus(r *request) (int, any) {
	if r.part(0) != "api" {
		return http.StatusNotFound, map[string]string{"message": "Not found"}
	}
	version, call, id := r.part(1), r.part(2), r.part(3)
	switch version + "/" + call {
	case "v1/supported_chains":
		list := []map[string]string{}
		for _, w := range m.worlds {
			list = append(list, map[string]string{"id": strconv.FormatInt(w.spec.id, 10), "name": w.spec.dexscreener})
		}
		return goplusOK(list)
	case "v1/address_security":
		return m.goplusAddress(r, id)
	}
	chain, err := strconv.ParseInt(id, 10, 64)
	w := m.worldWhere(func(c *chainSpec) bool { return c.id == chain })
	if err != nil || w == nil {
		return goplusError(2018, "ChainID not supported")
	}
	key := "contract_addresses"
	if version == "v2" {
		key = "addresses"
	}
	asked := splitList(r.query.Get(key))
	if len(asked) == 0 {
		return goplusError(5006, "param error!")
	}
	for _, text := range asked {
		if _, ok := parseAddress(text); !ok {
			return goplusError(2004, "Contract address format error!")
		}
	}
	switch version + "/" + call {
	case "v1/token_security":
		result := map[string]*goplusToken{}
		for _, text := range asked {
			if assetID, ok := w.assetByAddress(text); ok && w.goplusKnows(assetID) {
				result[lower(text)] = w.goplusToken(assetID)
			}
		}
		return goplusOK(result)
	case "v1/approval_security":
		return w.goplusSpender(asked[0])
	case "v2/token_approval_security":
		return goplusOK(w.goplusApprovals(asked[0], false))
	case "v2/nft721_approval_security":
		return goplusOK(w.goplusApprovals(asked[0], true))
	case "v2/nft1155_approval_security":
		return goplusOK([]any{})
	}
	return goplusError(5000, "system error")
}

func (m *Market) goplusAddress(r *request, text string) (int, any) {
	a, ok := parseAddress(text)
	if !ok {
		return goplusError(2004, "address format error!")
	}
	flags := map[string]string{}
	for _, name := range []string{
		"cybercrime", "money_laundering", "number_of_malicious_contracts_created", "gas_abuse", "financial_crime", "darkweb_transactions", "reinit", "phishing_activities",
		"fake_kyc", "blacklist_doubt", "fake_standard_interface", "stealing_attack", "blackmail_activities", "sanctioned", "malicious_mining_activities", "mixer",
		"fake_token", "honeypot_related_address", "contract_address",
	} {
		flags[name] = "0"
	}
	flags["data_source"] = ""
	for _, w := range m.worlds {
		if chain := r.query.Get("chain_id"); chain != "" && chain != strconv.FormatInt(w.spec.id, 10) {
			continue
		}
		entity, known := w.byAddress[a]
		if !known {
			continue
		}
		if w.isContract(entity) {
			flags["contract_address"] = "1"
		}
		if entity == w.spenders.blacklisted {
			flags["phishing_activities"], flags["stealing_attack"], flags["blacklist_doubt"], flags["data_source"] = "1", "1", "1", "SlowMist"
		}
		honeypots := 0
		for i := range w.tokens {
			if t := &w.tokens[i]; t.creator == entity && t.kind == kindHoneypot {
				honeypots++
			}
		}
		if honeypots > 0 {
			flags["honeypot_related_address"], flags["number_of_malicious_contracts_created"] = "1", strconv.Itoa(honeypots)
		}
	}
	return goplusOK(flags)
}
