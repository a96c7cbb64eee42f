//! Goes through a file and finds what can be changed.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Pat, Stmt, UnOp};

use super::collect::{Collector, is_test};
use super::logic::{binds, conditions, is_question, method, neighbours, operators};
use super::{Form, Site};
use crate::sites::constants::Constants;
use crate::tree::File;

/// The sites of a file, in its order.
pub fn sites(file: &File, parsed: &syn::File, constants: &Constants) -> Vec<Site> {
    let mut collector = Collector::new(file, constants);
    collector.visit_file(parsed);
    collector.sites
}

impl<'ast> Visit<'ast> for Collector<'_> {
    // What is no expression that is evaluated when the program runs.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if !is_test(&item.attrs) && !of.is_some_and(|name| name.ident == "Debug" || name.ident == "Display") {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function((&item.attrs, &item.sig, &item.block), |here| visit::visit_item_fn(here, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function((&item.attrs, &item.sig, &item.block), |here| visit::visit_impl_item_fn(here, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function((&item.attrs, &item.sig, body), |here| visit::visit_trait_item_fn(here, item));
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement {
            let inner = if let Expr::Try(tried) = expression { &tried.expr } else { expression };
            let acts = match inner {
                Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
                Expr::Binary(binary) => operators(&binary.op).first().is_some_and(|text| text.ends_with('=')),
                _ => false,
            };
            if acts {
                let range = statement.span().byte_range();
                let old = self.text(range.clone()).to_owned();
                self.add("statement", Form::Statement, range, (old, vec![String::new()]));
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_if(&mut self, expression: &'ast syn::ExprIf) {
        self.condition(&expression.cond);
        visit::visit_expr_if(self, expression);
    }

    fn visit_expr_while(&mut self, expression: &'ast syn::ExprWhile) {
        for part in conditions(&expression.cond) {
            self.exchange("condition", part, vec!["false".to_owned()]);
        }
        visit::visit_expr_while(self, expression);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let catches = |arm: &syn::Arm| arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_) | Pat::Ident(_));
        let caught = expression.arms.iter().any(catches);
        for arm in &expression.arms {
            if let Some((_, guard)) = &arm.guard {
                self.condition(guard);
            } else if caught && !catches(arm) {
                let start = arm.fat_arrow_token.span().byte_range().start;
                let old = self.of(&arm.pat).to_owned();
                self.add("arm", Form::Arm, start..start, (old, vec![String::new()]));
            }
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_expr_binary(&mut self, expression: &'ast syn::ExprBinary) {
        if !binds(&expression.left) && !binds(&expression.right) {
            let changed = operators(&expression.op).iter().map(|operator| self.with(expression, &expression.op, operator));
            let changes = changed.collect();
            self.exchange("operator", expression, changes);
        }
        visit::visit_expr_binary(self, expression);
    }

    fn visit_expr_unary(&mut self, expression: &'ast syn::ExprUnary) {
        if matches!(expression.op, UnOp::Not(_)) {
            let changes = vec![self.of(&expression.expr).to_owned()];
            self.exchange("negation", expression, changes);
        }
        visit::visit_expr_unary(self, expression);
    }

    fn visit_expr_method_call(&mut self, expression: &'ast syn::ExprMethodCall) {
        let name = expression.method.to_string();
        if let Some(other) = method(&name) {
            let changes = vec![self.with(expression, &expression.method, other)];
            self.exchange("method", expression, changes);
        } else if is_question(&name) {
            let changes = vec![format!("!{}", self.of(expression))];
            self.exchange("negation", expression, changes);
        }
        visit::visit_expr_method_call(self, expression);
    }

    fn visit_expr_macro(&mut self, expression: &'ast syn::ExprMacro) {
        if expression.mac.path.is_ident("matches") {
            let changes = vec![format!("!{}", self.of(expression))];
            self.exchange("negation", expression, changes);
        }
    }

    fn visit_expr_continue(&mut self, expression: &'ast syn::ExprContinue) {
        if expression.label.is_none() {
            self.exchange("jump", expression, vec!["break".to_owned()]);
        }
    }

    fn visit_expr_break(&mut self, expression: &'ast syn::ExprBreak) {
        if expression.label.is_none() && expression.expr.is_none() {
            self.exchange("jump", expression, vec!["continue".to_owned()]);
        }
        visit::visit_expr_break(self, expression);
    }

    fn visit_expr_repeat(&mut self, expression: &'ast syn::ExprRepeat) {
        self.visit_expr(&expression.expr);
    }

    fn visit_expr_lit(&mut self, expression: &'ast syn::ExprLit) {
        self.exchange("number", expression, neighbours(expression));
    }
}
