package bytecode_test
import ("testing";"slices";"os";"strings";"fmt";"github.com/mirrorworthy/mirrorworthy/shared/bytecode")
func TestScratch(t *testing.T) {
	type k struct{tp,fp,fn int}
	tot := map[string]*k{}
	bad := map[string][]string{}
	for _, s := range samples(t) {
		if w := os.Getenv("SET"); w != "" && w != s.file { continue }
		if w := os.Getenv("NAME"); w != "" && w != s.name { continue }
		r := bytecode.Analyze(s.code)
		if !r.Understood { bad[s.name+" notunderstood"] = append(bad[s.name+" notunderstood"], s.compiler) }
		for name, is := range map[string]bool{"mints": r.Mints, "limits": r.LimitsSelling, "leaks": r.Leaks, "fees": r.SetsFees, "bounded": r.MintBounded || r.FeesBounded, "destroys": r.SelfDestructs} {
			e := slices.Contains(s.expect, name)
			c := s.file+" "+name
			if tot[c]==nil { tot[c]=&k{} }
			switch { case is&&e: tot[c].tp++; case is: tot[c].fp++; bad[s.name+" +"+name]=append(bad[s.name+" +"+name], s.compiler); case e: tot[c].fn++; bad[s.name+" -"+name]=append(bad[s.name+" -"+name], s.compiler) }
		}
	}
	var ks []string
	for b := range bad { ks=append(ks,b) }
	slices.Sort(ks)
	for _, b := range ks { fmt.Println(b, len(bad[b]), strings.Join(bad[b],"; ")) }
	ks = nil
	for c := range tot { ks=append(ks,c) }
	slices.Sort(ks)
	for _, c := range ks { v := tot[c]; p:=float64(v.tp)/float64(v.tp+v.fp); r:=float64(v.tp)/float64(v.tp+v.fn); fmt.Printf("%s tp %d fp %d fn %d P %.3f R %.3f F1 %.3f\n", c, v.tp,v.fp,v.fn,p,r,2*p*r/(p+r)) }
}
